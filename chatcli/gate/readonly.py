"""Programs that only read, and the flags with which they do. Data: what is not here is not known.

Left out on purpose, among others: whatever starts another program (`rg --pre`, `sort --compress-program`,
`diff -l`, `file -z`), writes a file (`sort -o`, `tree -o`, `uniq IN OUT`), follows links out of the
project (`grep -R`, `rg -L`, `tree -l`, `ls -LR`, `diff -r`), waits (`tail -f`), reads names of files from a
file (`wc --files0-from`), or asks the network (`hostname`-like lookups). A pager runs what the environment
says.
GNU and BSD differ: a letter that takes a value in one and none in the other is left out.
"""

from __future__ import annotations

from chatcli.gate.flags import reads

_LS = """all almost-all author escape block-size= ignore-backups color? directory classify file-type
    format= full-time group-directories-first no-group human-readable si inode kibibytes literal hide=
    ignore= indicator-style= hide-control-chars quote-name quoting-style= reverse recursive size sort=
    time= time-style= width= zero"""
_GREP = """extended-regexp fixed-strings basic-regexp perl-regexp regexp= file=@ ignore-case invert-match
    no-ignore-case word-regexp line-regexp count color? colour? files-without-match files-with-matches
    max-count= only-matching quiet silent no-messages byte-offset with-filename no-filename label=
    line-number initial-tab null after-context= before-context= context= text binary-files= exclude=
    exclude-from=@ exclude-dir= include= recursive line-buffered null-data"""
_RG = """after-context= before-context= context= byte-offset case-sensitive color= column no-column count
    count-matches crlf encoding= engine= file=@ files files-with-matches files-without-match fixed-strings
    glob= glob-case-insensitive heading no-heading hidden iglob= ignore-case ignore-file=@ include-zero
    invert-match json line-buffered line-number no-line-number line-regexp max-columns=
    max-columns-preview max-count= max-depth= maxdepth= max-filesize= multiline multiline-dotall
    no-config no-filename no-follow no-ignore no-ignore-vcs no-ignore-dot no-ignore-parent
    no-ignore-global no-messages no-unicode null null-data one-file-system only-matching passthru
    path-separator= pcre2 pretty quiet regexp= replace= smart-case sort= sortr= stats text threads= trim
    type= type-add= type-list type-not= unrestricted version vimgrep with-filename word-regexp"""
_DIFF = """normal brief report-identical-files unified? context? side-by-side ignore-case ed rcs
    show-c-function show-function-line= label= width= left-column suppress-common-lines expand-tabs
    ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines
    ignore-matching-lines= text strip-trailing-cr minimal speed-large-files color? new-file
    no-dereference"""
_SORT = """ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort
    ignore-nonprinting month-sort numeric-sort random-sort reverse sort= version-sort check? key= merge
    stable unique zero-terminated field-separator="""
_TREE = """dirsfirst filesfirst noreport charset= filelimit= prune du si gitignore sort= timefmt= inodes
    matchdirs ignore-case device metafirst"""
STRINGS = reads("af", "all print-file-name bytes= radix=", values="nte")
_SUMS = reads("btz", "tag zero binary text")

READERS = {
    # files and their content
    "cat": reads("AbeEnstTuv", "show-all number-nonblank show-ends number squeeze-blank show-tabs"),
    "head": reads("qvz", "lines= bytes= quiet silent verbose zero-terminated", values="nc", numeric=True),
    "tail": reads("qvz", "lines= bytes= quiet silent verbose zero-terminated", values="nc", numeric=True),
    "wc": reads("clmwL", "bytes chars lines words max-line-length total="),
    "nl": reads("p", values="bdfhilnsvw"),
    "tac": reads("br", "before regex separator=", values="s"),
    "rev": reads(),
    "fold": reads("bs", "bytes spaces width=", values="w"),
    "cut": reads(
        "nsz",
        "bytes= characters= delimiter= fields= complement only-delimited output-delimiter= zero-terminated",
        values="bcdf",
    ),
    "paste": reads("sz", "delimiters= serial zero-terminated", values="d"),
    "column": reads("txne", "table separator= output-separator=", values="cso"),
    "comm": reads("123iz", "check-order nocheck-order output-delimiter= total zero-terminated"),
    "join": reads("iz", "ignore-case header zero-terminated", values="12aejotv"),
    "sort": reads("bdfghiMnRrVcCmsuz", _SORT, values="kt"),
    "uniq": reads(
        "cdDiuz",
        "count repeated all-repeated? skip-fields= group? ignore-case skip-chars= unique zero-terminated"
        " check-chars=",
        values="fsw",
        limit=1,
    ),
    "tr": reads("cCdst", "complement delete squeeze-repeats truncate-set1", "text"),
    "od": reads("bcdfhilosvx", "address-radix= skip-bytes= read-bytes= format=", values="AjNt"),
    "hexdump": reads("bcCdovx", values="ns"),
    "xxd": reads("abCeEipu", values="closg", limit=1),
    "md5sum": _SUMS,
    "sha1sum": _SUMS,
    "sha224sum": _SUMS,
    "sha256sum": _SUMS,
    "sha384sum": _SUMS,
    "sha512sum": _SUMS,
    "b2sum": _SUMS,
    "cksum": reads(),
    "shasum": reads("bt", "binary text algorithm=", values="a"),
    # searching and comparing
    "grep": reads(
        "EFGPivwxyclLoqsbHhnTUzaIrZ",
        _GREP,
        "pattern",
        values="emABC f@",
        numeric=True,
        pattern_flags="-e -f --regexp --file",
    ),
    "egrep": reads("ivwxclLoqsbHhnaIr", _GREP, "pattern", values="emABC", numeric=True, pattern_flags="-e"),
    "fgrep": reads("ivwxclLoqsbHhnaIr", _GREP, "pattern", values="emABC", numeric=True, pattern_flags="-e"),
    "rg": reads(
        "abciFHIhlnNoPpqsSUuvVwx0.",
        _RG,
        "pattern",
        values="ABCEegjmMrtTd f@",
        pattern_flags="-e -f --regexp --file --files --type-list",
    ),
    "diff": reads("abBcdeEinpqstTuwyN", _DIFF, "files", values="ILUCWF", numeric=True),
    "cmp": reads("bls", "print-bytes verbose quiet silent bytes= ignore-initial=", "files", values="in"),
    # folders and what is known of files
    "ls": reads("aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ1", _LS),
    "tree": reads("adfFipsughDCnAQNrtUvxqJX", _TREE, values="LPI"),
    "du": reads(
        "abcDHhklmPsSx0",
        "all apparent-size bytes total human-readable si summarize max-depth= exclude= threshold= null"
        " one-file-system",
        values="dtB",
    ),
    "df": reads("ahHiklmPT", "all human-readable inodes local print-type total type=", values="Btx"),
    "stat": reads("Lftx", "dereference file-system terse format= printf=", values="c"),
    "file": reads("bikLhNnr0", "brief mime mime-type mime-encoding dereference no-dereference"),
    "realpath": reads("eLmPqsz", "canonicalize-existing canonicalize-missing strip zero relative-to=@"),
    "readlink": reads("femnqsvz", "canonicalize canonicalize-existing canonicalize-missing no-newline"),
    "basename": reads("az", "multiple suffix= zero", "text", values="s"),
    "dirname": reads("z", "zero", "text"),
    "pwd": reads("LP", "", "none"),
    "which": reads("as", "", "text"),
    "type": reads("aftpP", "", "text"),
    "whereis": reads("bms", "", "text"),
    # text and numbers
    "seq": reads("w", "equal-width separator= format=", "text", values="fs", numeric=True),
    "sleep": reads("", "", "text"),
    "wait": reads("n", "", "none"),
    # the machine
    "whoami": reads("", "", "none"),
    "id": reads("gGnruz", "group groups name real user zero", "text"),
    "groups": reads("", "", "text"),
    "uname": reads("asnrvmpio", "all kernel-name nodename kernel-release machine operating-system", "none"),
    "arch": reads("", "", "none"),
    "nproc": reads("", "all", "none"),
    "uptime": reads("ps", "pretty since", "none"),
    "free": reads("bkmghtwl", "bytes kibi mebi gibi human total wide", "none"),
    "tty": reads("s", "", "none"),
    "printenv": reads("0", "null", "text"),
    "locale": reads("akm", "", "text"),
    "getconf": reads("a", "", "text"),
    "lscpu": reads("aebcpxyJ", "all extended? json", "none"),
}

# Built-ins and programs that print or compare their words, whatever these are.
SPEAKERS = frozenset({"echo", ":", "true", "false", "expr", "exit", "break", "continue"})

_DIFF_OUTPUT = """stat? numstat shortstat dirstat? summary name-only name-status no-color color? word-diff?
    word-diff-regex= color-words? unified= ignore-all-space ignore-space-change ignore-space-at-eol
    ignore-cr-at-eol ignore-blank-lines minimal patience histogram diff-algorithm= raw patch no-patch
    patch-with-stat patch-with-raw compact-summary find-renames? find-copies? find-copies-harder
    diff-filter= relative? exit-code quiet check full-index binary abbrev? no-renames
    inter-hunk-context= function-context text no-prefix no-ext-diff no-textconv color-moved? cc"""
_LOG = f"""{_DIFF_OUTPUT} oneline graph decorate? no-decorate all branches? tags? remotes? since= after=
    until= before= author= committer= grep= all-match invert-grep regexp-ignore-case extended-regexp
    fixed-strings perl-regexp merges no-merges first-parent reverse format= pretty? abbrev-commit
    no-abbrev-commit date= follow max-count= skip= topo-order date-order author-date-order cherry-pick
    cherry cherry-mark left-right left-only right-only simplify-by-decoration simplify-merges
    full-history dense sparse ancestry-path no-notes parents children count root not boundary
    walk-reflogs no-walk? pickaxe-regex pickaxe-all source encoding= merge min-parents= max-parents="""
_REFS = """list all remotes verbose merged? no-merged? contains? no-contains? sort= format= points-at=
    column? no-column color? no-color ignore-case"""
_LOG_READER = reads("abcgimprRstuwzBMCDE", _LOG, values="nLSGU O@", numeric=True)

# Listing flags of `git branch` and `git tag`: without one of them a name means: create it.
LISTING_FLAGS = frozenset(
    {"-l", "--list", "--merged", "--no-merged", "--contains", "--no-contains", "--points-at"}
)

GIT_READERS = {
    "status": reads(
        "sbvz",
        "short branch porcelain? long verbose untracked-files? ignored? null column? no-column ahead-behind"
        " no-ahead-behind renames no-renames find-renames? show-stash ignore-submodules?",
    ),
    "diff": reads("abpRstuwzBMCDW", f"{_DIFF_OUTPUT} cached staged merge-base", values="UGSl", numeric=True),
    "log": _LOG_READER,
    "show": _LOG_READER,
    "whatchanged": _LOG_READER,
    "rev-list": _LOG_READER,
    "diff-tree": reads("prtuvzcmMCRw", f"{_DIFF_OUTPUT} root no-commit-id stdin", values="UGS"),
    "grep": reads(
        "aiIwvEGFPnlLqcozhHWpr",
        """text ignore-case word-regexp invert-match extended-regexp basic-regexp fixed-strings perl-regexp
        line-number column files-with-matches name-only files-without-match only-matching count quiet cached
        untracked no-index no-exclude-standard full-name null color? no-color break heading show-function
        function-context context= after-context= before-context= max-depth= max-count= and or not all-match
        recursive no-recursive""",
        "pattern",
        values="eABCm f@",
        numeric=True,
        pattern_flags="-e -f",
    ),
    "shortlog": reads("nsec", "numbered summary email committer group= format= all since= until= no-merges"),
    "blame": reads(
        "bcefFlMnpstwC",
        "porcelain line-porcelain incremental root show-stats show-email since= date= abbrev= minimal",
        values="L",
    ),
    "branch": reads("arvlqi", f"{_REFS} show-current abbrev= no-abbrev"),
    "tag": reads("lni", _REFS, numeric=True),
    "for-each-ref": reads("", f"{_REFS} count="),
    "show-ref": reads("dsq", "head heads branches tags dereference hash? verify abbrev? exists quiet"),
    "rev-parse": reads(
        "q",
        "show-toplevel abbrev-ref? git-dir short? verify quiet is-inside-work-tree is-inside-git-dir"
        " is-bare-repository symbolic-full-name show-prefix show-cdup git-common-dir absolute-git-dir"
        " show-superproject-working-tree all branches? tags? remotes? symbolic",
    ),
    "ls-files": reads(
        "cdmoistuvkzx",
        "cached deleted modified others ignored stage unmerged killed directory no-empty-directory eol"
        " exclude= exclude-standard error-unmatch full-name recurse-submodules abbrev? deduplicate format=",
    ),
    "ls-tree": reads("drtlz", "long name-only name-status object-only full-name full-tree abbrev? format="),
    "cat-file": reads("tpse"),
    "describe": reads("", "tags all long always abbrev= match= exclude= contains exact-match first-parent"),
    "merge-base": reads("a", "all octopus independent is-ancestor fork-point"),
    "name-rev": reads("", "tags refs= all name-only always"),
    "count-objects": reads("vH", "verbose human-readable"),
    "check-ignore": reads("vnqz", "verbose non-matching quiet no-index"),
    "version": reads("", "build-options"),
}

# Subcommands that read only with one of these first words; "" stands for none at all.
GIT_FIRST_WORDS = {
    "stash": frozenset({"list", "show"}),
    "remote": frozenset({"", "get-url"}),
    "reflog": frozenset({"", "show"}),
    "worktree": frozenset({"list"}),
}
GIT_FIRST_WORD_READER = reads("vpuz", f"{_LOG} verbose push all porcelain", values="n", numeric=True)

# Variables that change how readers print, and nothing else.
HARMLESS_VARIABLES = frozenset({"LANG", "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_NUMERIC"}) | {
    "LC_TIME",
    "TZ",
    "NO_COLOR",
    "CLICOLOR",
    "COLUMNS",
    "LINES",
    "TERM",
}
