"""Who asks Amazon: a bearer key, or AWS credentials that sign each request; and in which region."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from configparser import ConfigParser, Error
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from chatcli.errors import AuthError
from chatcli.i18n import _
from chatcli.providers.service import Service

DEFAULT_REGION = "us-east-1"
_REGION_VARIABLES = ("BEDROCK_REGION", "AWS_REGION", "AWS_DEFAULT_REGION")
_PROFILE_VARIABLES = ("BEDROCK_PROFILE", "AWS_PROFILE")


def region(environment: Mapping[str, str]) -> str:
    """Of the environment, else of the profile in AWS's own configuration, else us-east-1."""
    for name in _REGION_VARIABLES:
        if environment.get(name, "").strip():
            return environment[name].strip()
    usual = Path(environment.get("HOME") or "~").expanduser() / ".aws" / "config"
    config = ConfigParser(interpolation=None)
    try:
        config.read(environment.get("AWS_CONFIG_FILE") or usual, encoding="utf-8")
    except (Error, UnicodeDecodeError):
        return DEFAULT_REGION
    name = profile(environment)
    section = f"profile {name}" if name else "default"
    return config.get(section, "region", fallback=DEFAULT_REGION)


def profile(environment: Mapping[str, str]) -> str:
    return next((environment[name] for name in _PROFILE_VARIABLES if environment.get(name)), "")


class Identity:
    """Proves who sends a request. Without a key, botocore finds credentials: variables, profile, SSO."""

    def __init__(self, service: Service, environment: Mapping[str, str]) -> None:
        """Raises AuthError when there is no key and botocore is not installed."""
        self._service = service
        self._environment = environment
        self._region = region(environment)
        self._credentials: Any = None
        if not service.key and find_spec("botocore") is None:
            raise AuthError(
                _("{provider} with AWS credentials needs the extra package.").format(provider=service.name),
                hint=_("pip install 'chatcli[bedrock]', or set {variable}.").format(
                    variable=service.key_variable
                ),
                provider=service.name,
            )

    async def headers(self, url: str, body: bytes, *, signing_name: str) -> Mapping[str, str]:
        """Raises AuthError when there are no credentials."""
        if self._service.key:
            return {"Authorization": f"Bearer {self._service.key}"}
        return await asyncio.to_thread(self._sign, url, body, signing_name)

    def _sign(self, url: str, body: bytes, signing_name: str) -> Mapping[str, str]:
        auth, awsrequest = import_module("botocore.auth"), import_module("botocore.awsrequest")
        request = awsrequest.AWSRequest("POST", url, {"Content-Type": "application/json"}, body)
        auth.SigV4Auth(self._found(), signing_name, self._region).add_auth(request)
        return dict(request.headers.items())

    def _found(self) -> Any:
        """The credentials; those that expire renew themselves."""
        given, why = self._environment, ""
        if self._credentials is None and given.get("AWS_ACCESS_KEY_ID"):
            self._credentials = import_module("botocore.credentials").Credentials(
                given["AWS_ACCESS_KEY_ID"],
                given.get("AWS_SECRET_ACCESS_KEY", ""),
                given.get("AWS_SESSION_TOKEN") or None,
            )
        if self._credentials is None:
            session = import_module("botocore.session")
            try:
                self._credentials = session.Session(profile=profile(given) or None).get_credentials()
            except import_module("botocore.exceptions").BotoCoreError as error:
                why = str(error)
        if self._credentials is None:
            raise AuthError(
                _("{provider}: no AWS credentials were found. {why}")
                .format(provider=self._service.name, why=why)
                .rstrip(),
                hint=_("Run `aws sso login`, or set {variable}.").format(variable=self._service.key_variable),
                provider=self._service.name,
            )
        return self._credentials
