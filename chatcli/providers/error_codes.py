"""The services' own codes and what they mean: 400 and 429 stand for many things."""

from __future__ import annotations

from chatcli.errors import (
    AuthError,
    BillingError,
    ContentRefused,
    ContextOverflow,
    ModelNotFound,
    Overloaded,
    ProviderError,
    RateLimited,
)

Kind = type[ProviderError]

QUOTA_OF_THE_DAY = "quota_of_the_day"
"""Not a service's own word: Google tells only in the id of a quota that it is one of a day."""


def _table(kinds: dict[Kind, str]) -> dict[str, Kind]:
    return {code: kind for kind, codes in kinds.items() for code in codes.split()}


_COMMON = _table(
    {
        BillingError: "insufficient_quota billing_hard_limit_reached billing_not_active billing_error"
        " contract_spend_limit_reached enforced_spend_limit_reached linked_organization_spend_limit_reached"
        " linked_organization_billing_unavailable organization_on_hold",
        ContextOverflow: "context_length_exceeded exceed_context_size_error request_too_large",
        ContentRefused: "content_filter content_policy_violation cyber_policy bio_policy invalid_prompt",
        ModelNotFound: "model_not_found",
    }
)

_OF_VENDOR: dict[str, dict[str, Kind]] = {
    "ZAI": _table(
        {
            AuthError: "1000 1001 1002 1003 1004 1110 1111 1112 1121 1220",
            BillingError: "1113 1304 1308 1309 1310",
            ModelNotFound: "1211 1221 1222 1311",
            ContextOverflow: "1261",
            ContentRefused: "1301",
            RateLimited: "1302 1303 1313",
            Overloaded: "1305 1312",
        }
    ),
    "MINIMAX": _table(
        {
            AuthError: "1004 2049 authorized_error",
            BillingError: "1008 2056 insufficient_balance_error",
            ContentRefused: "1026 1027",
            RateLimited: "1002 1039 1041",
            Overloaded: "1000 1001 1024 1033",
        }
    ),
    "MOONSHOT": _table(
        {
            AuthError: "invalid_authentication_error incorrect_api_key_error",
            BillingError: "exceeded_current_quota_error 403",
            ModelNotFound: "resource_not_found_error",
            RateLimited: "rate_limit_reached_error",
            Overloaded: "engine_overloaded_error",
        }
    ),
    "GOOGLEAI": _table(
        {AuthError: "API_KEY_INVALID", BillingError: f"{QUOTA_OF_THE_DAY} FAILED_PRECONDITION"},
    ),
    "BEDROCK": _table(
        {
            AuthError: "AccessDeniedException UnrecognizedClientException ExpiredTokenException"
            " InvalidSignatureException MissingAuthenticationTokenException IncompleteSignatureException",
            BillingError: "ServiceQuotaExceededException",
            ModelNotFound: "ResourceNotFoundException",
            RateLimited: "ThrottlingException",
            Overloaded: "ServiceUnavailableException ModelTimeoutException ModelNotReadyException"
            " InternalServerException ModelStreamErrorException ModelErrorException",
        }
    ),
    "COPILOT": _table(
        {
            BillingError: "quota_exceeded",
            ModelNotFound: "model_not_supported",
            ContextOverflow: "model_max_prompt_tokens_exceeded",
            RateLimited: "rate_limited user_global_rate_limited user_model_rate_limited",
        }
    ),
}
"""By name of the provider. Where a status means something else than elsewhere, it stands among the codes."""


def kind_of(vendor: str, codes: set[str], status: int) -> Kind | None:
    """What one of the codes means, the vendor's own table first; None when it is in neither."""
    own = _OF_VENDOR.get(vendor, {})
    known = [own[code] for code in sorted({*codes, str(status)} & own.keys())]
    known += [_COMMON[code] for code in sorted(codes & _COMMON.keys())]
    return known[0] if known else None
