#!/usr/bin/env python3
"""Signs the URL of an object in S3 or Cloud Storage again: a program for spate --refresh-command.

Reads {"url": URL, …} and prints {"url": URL}. The signing is done by `aws s3 presign` or `gcloud storage sign-url`,
with the credentials that they have.
"""

import json
import re
import subprocess
import sys
from urllib.parse import unquote, urlsplit

SECONDS = 3600

S3 = re.compile(r"(?:(?P<bucket>.+)\.)?s3(?:\.dualstack)?(?:[.-](?P<region>[a-z0-9-]+))?\.amazonaws\.com(?:\.cn)?")
GCS = re.compile(r"(?:(?P<bucket>.+)\.)?storage\.googleapis\.com")


def address(match, path):
    """BUCKET/KEY, whether the bucket is in the host or in the path."""
    bucket = match["bucket"]
    return f"{bucket}/{path}" if bucket else path


def command(url):
    """The command that prints the signed URL."""
    parts = urlsplit(url)
    host, path = parts.hostname or "", unquote(parts.path).removeprefix("/")
    if match := S3.fullmatch(host):
        region = ["--region", match["region"]] if match["region"] else []
        return ["aws", "s3", "presign", f"s3://{address(match, path)}", "--expires-in", str(SECONDS), *region]
    if match := GCS.fullmatch(host):
        address_of_object = f"gs://{address(match, path)}"
        return ["gcloud", "storage", "sign-url", address_of_object, f"--duration={SECONDS}s", "--format=value(signed_url)"]
    # Not the whole URL: its signature may still be valid.
    sys.exit(f"{host} is neither S3 nor Cloud Storage")


def main():
    # What the command says on standard error is shown by spate. Its exit code fails the attempt.
    result = subprocess.run(command(json.load(sys.stdin)["url"]), stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        sys.exit(result.returncode)
    print(json.dumps({"url": result.stdout.strip()}))


main()
