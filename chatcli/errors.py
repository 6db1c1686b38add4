"""Every exception of chatcli, in one tree.

    ChatcliError
     ├─ UserFacingError             shown as one line with a hint; ends with `exit_code`
     │   ├─ UsageError (2)          wrong flags, empty input, bad settings
     │   ├─ ProviderError (3)       the model's service; see its children
     │   │   ├─ AuthError               no key, wrong key, expired key
     │   │   ├─ BillingError            no credit, quota used up
     │   │   ├─ ModelNotFound           unknown model id
     │   │   ├─ RateLimited             too fast; `retry_after_seconds` when the service says so
     │   │   ├─ Overloaded              5xx, 529
     │   │   ├─ NetworkError            no connection, cut stream, stall
     │   │   ├─ ContextOverflow         the request does not fit the window
     │   │   ├─ ContentRefused          the service refused the content
     │   │   └─ BadRequest              the service rejected the request: usually our bug
     │   ├─ LimitReached (4)        turns, money, stagnation
     │   └─ StorageError (6)        disk full, unreadable files, broken session
     ├─ Denied                      the gate said no to one tool call: data for the model
     ├─ CancelledByUser             the user cancelled when asked about one tool call: data for the model
     ├─ ToolFailed                  a tool failed: data for the model
     └─ InvalidArguments            a call's arguments do not fit the tool: data for the model

Anything that is not a `ChatcliError` is a bug and keeps its traceback (exit code 1).
"""

from __future__ import annotations


class ChatcliError(Exception):
    """Root of all errors raised on purpose."""


class UserFacingError(ChatcliError):
    """One line that a person reads, a hint what to do, and the exit code of the process."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(UserFacingError, ValueError):
    """Wrong flags, empty input, an unknown name, an unreadable setting."""

    exit_code = 2


class ProviderError(UserFacingError):
    """The model's service failed. `status` is the HTTP status, 0 when there was none."""

    exit_code = 3
    retryable = False

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        provider: str = "",
        status: int = 0,
        code: str = "",
        request_id: str = "",
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.provider = provider
        self.status = status
        self.code = code
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds


class AuthError(ProviderError):
    """No credentials, or the service does not accept them."""


class BillingError(ProviderError):
    """No credit or quota left: waiting does not help."""


class ModelNotFound(ProviderError):
    """The service does not know this model."""


class RateLimited(ProviderError):
    """Too many requests; waiting helps."""

    retryable = True


class Overloaded(ProviderError):
    """The service is failing or busy (5xx, 529)."""

    retryable = True


class NetworkError(ProviderError):
    """No connection, a cut stream, or a stream that stalled."""

    retryable = True


class ContextOverflow(ProviderError):
    """The request does not fit the model's window; goes to recovery."""


class ContentRefused(ProviderError):
    """The service refused the content."""


class BadRequest(ProviderError):
    """The service rejected the form of the request."""


class LimitReached(UserFacingError):
    """A limit that the user set, or the stagnation detector, ended the run."""

    exit_code = 4


class StorageError(UserFacingError):
    """Disk full, a file that cannot be read or written, a broken session."""

    exit_code = 6


class DamagedOriginal(StorageError):
    """The archive has a file, and its bytes are not those that were stored."""


class Denied(ChatcliError):
    """The gate said no to this call. The text is what the model reads, `brief` one line for the person."""

    def __init__(self, message: str, *, brief: str = "") -> None:
        super().__init__(message)
        self.brief = brief


class CancelledByUser(ChatcliError):
    """The user cancelled the run when asked about this call, which did not run. For the model."""


class ToolFailed(ChatcliError):
    """A tool could not do what was asked. The text is what the model reads."""


class InvalidArguments(ToolFailed, ValueError):
    """The arguments of a call do not fit the tool's schema."""
