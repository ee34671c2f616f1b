"""`blpk` on an S3 API: reads what boto3 uploaded, and boto3 reads what it wrote."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import blpk as package
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from _common import blpk, items_of, opened, run_tests  # noqa: E402
from _servers import s3, s3_client, upload  # noqa: E402

ITEMS = items_of((3000, 100), "<f8")


@pytest.fixture(scope="module")
def env():
    with s3() as variables:
        yield variables


@pytest.fixture(scope="module")
def folder(tmp_path_factory, env):
    folder = tmp_path_factory.mktemp("files")
    for ending in (".b2nd", ".bcolz", ".blp"):
        package.save(folder / f"a{ending}", ITEMS, chunks=(300, 100))
        upload(env, folder / f"a{ending}", f"in/a{ending}")
    return folder


def keys(env: dict[str, str], prefix: str) -> list[str]:
    listed = s3_client(env).list_objects_v2(Bucket="bucket", Prefix=prefix)
    return [entry["Key"] for entry in listed.get("Contents", [])]


@pytest.mark.parametrize("ending", [".b2nd", ".bcolz", ".blp"])
def test_reads(env, folder, tmp_path, ending):
    url = f"s3://bucket/in/a{ending}"
    far, near = (json.loads(blpk("stats", "--json", where).stdout) for where in (url, folder / f"a{ending}"))
    assert far["fields"] == near["fields"]
    blpk("decompress", url, tmp_path / "plain")
    assert (tmp_path / "plain").read_bytes() == ITEMS.tobytes()
    blpk("verify", url)


def test_wrong_names(env, folder):
    for url in ("s3://bucket/in/none.blp", "s3://no-such-bucket/a.blp"):
        done = blpk("info", url, check=False)
        assert done.returncode == 1 and "error:" in done.stderr


@pytest.mark.parametrize("to", ["b.blp", "b.b2nd"])
def test_writes_a_file(env, folder, tmp_path, to):
    blpk("convert", folder / "a.b2nd", f"s3://bucket/out/{to}")
    s3_client(env).download_file("bucket", f"out/{to}", str(tmp_path / to))
    np.testing.assert_array_equal(package.open(tmp_path / to)[...], ITEMS)
    refused = blpk("convert", folder / "a.b2nd", f"s3://bucket/out/{to}", check=False)
    assert refused.returncode == 1 and "exists" in refused.stderr
    blpk("-f", "convert", folder / "a.b2nd", f"s3://bucket/out/{to}")


def test_compress(env, folder, tmp_path):
    (tmp_path / "raw").write_bytes(ITEMS.tobytes())
    blpk("compress", tmp_path / "raw", "s3://bucket/out/raw.blp")
    blpk("decompress", "s3://bucket/out/raw.blp", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == ITEMS.tobytes()


def test_large_objects(env, tmp_path):
    """Several parts of a multipart upload."""
    rng = np.random.default_rng(1)
    (tmp_path / "raw").write_bytes(rng.bytes(40 << 20))
    blpk("compress", tmp_path / "raw", "s3://bucket/out/large.blp")
    blpk("verify", "s3://bucket/out/large.blp")
    blpk("decompress", "s3://bucket/out/large.blp", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == (tmp_path / "raw").read_bytes()
    uploads = s3_client(env).list_multipart_uploads(Bucket="bucket")
    assert not uploads.get("Uploads")


def test_references(env, folder):
    """References from the object store, written to it, read by Zarr through s3fs."""
    blpk("reference", "-o", "s3://bucket/out/refs.json", "s3://bucket/in/a.b2nd")
    body = s3_client(env).get_object(Bucket="bucket", Key="out/refs.json")["Body"].read()
    refs = json.loads(body)
    options = {
        "key": env["AWS_ACCESS_KEY_ID"],
        "secret": env["AWS_SECRET_ACCESS_KEY"],
        "client_kwargs": {"endpoint_url": env["AWS_ENDPOINT_URL"]},
        "asynchronous": True,
    }
    array = opened(refs, remote_protocol="s3", remote_options=options)
    np.testing.assert_array_equal(array[...], ITEMS)


if __name__ == "__main__":
    sys.exit(run_tests(__file__))
