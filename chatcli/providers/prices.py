"""What a request cost, in USD: what the service itself charged, else the price table of genai-prices.

The table is compiled into the package: no network is used.
"""

from __future__ import annotations

from chatcli.errors import UsageError
from chatcli.messages import Usage
from chatcli.providers.specs import find_spec


def cost_usd(provider: str, model: str, usage: Usage) -> float | None:
    """The cost, or None when the price is not known: never 0 for unknown.

    `provider` is a name of the table of providers; one that is no longer there has no price.
    """
    if usage.cost_usd is not None:
        return usage.cost_usd
    try:
        spec = find_spec(provider)
    except UsageError:
        return None
    if spec.free:
        return 0.0
    if not spec.price_id:
        return None
    import genai_prices

    # The table counts the cache classes inside `input_tokens`, and 1 h writes inside all writes.
    counted = genai_prices.Usage(
        input_tokens=usage.context,
        cache_read_tokens=usage.cache_read,
        cache_write_tokens=usage.cache_write,
        cache_write_1h_tokens=usage.cache_write_1h,
        output_tokens=usage.output,
    )
    try:
        return float(genai_prices.calc_price(counted, model, provider_id=spec.price_id).total_price)
    except LookupError:
        return None
