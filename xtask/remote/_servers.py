"""Servers on the loopback, on free ports: nginx, a proxy that injects faults, and moto's S3 API.

Each is a context manager. Servers are threads of the test, or processes that the system ends with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import http.client
import http.server
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: Seconds to wait for a server.
START = 20


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int) -> None:
    """Wait until a server listens."""
    end = time.monotonic() + START
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise TimeoutError(f"no server on port {port} after {START} s") from None
            time.sleep(0.05)


def _end_with_parent() -> None:
    """In a new process: ask Linux to end it when its parent ends, however that happens."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


@contextlib.contextmanager
def process(command: list[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program in the background."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=_end_with_parent, **options)
    try:
        yield child
    finally:
        child.terminate()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait(10)


def nginx_program() -> str | None:
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


@contextlib.contextmanager
def nginx(folder: Path, scratch: Path) -> Iterator[str]:
    """Serve a folder with nginx, unprivileged, and yield its URL. The access log is ``access.log`` in `scratch`."""
    program = nginx_program()
    assert program, "nginx is not installed"
    port = free_port()
    scratch.mkdir(exist_ok=True)
    temporary = "\n".join(
        f"{kind}_temp_path {scratch}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = scratch / "nginx.conf"
    config.write_text(
        f"""
        daemon off; master_process off; pid {scratch}/pid; error_log {scratch}/error.log;
        events {{ worker_connections 256; }}
        http {{
            {temporary}
            log_format brief '$request_method $uri $http_range $status $body_bytes_sent';
            access_log {scratch}/access.log brief;
            default_type application/octet-stream;
            server {{ listen 127.0.0.1:{port}; root {folder}; autoindex off; }}
        }}
        """
    )
    with process([program, "-p", str(scratch), "-c", str(config), "-e", str(scratch / "error.log")]):
        wait_for(port)
        yield f"http://127.0.0.1:{port}"


@dataclass
class Proxy:
    """A proxy for one server. The first part of the path is the fault."""

    url: str
    requests: dict[str, int] = field(default_factory=dict)
    nbytes: dict[str, int] = field(default_factory=dict)

    def __getitem__(self, fault: str) -> str:
        return f"{self.url}/{fault}"


@contextlib.contextmanager
def faulty_proxy(upstream: str) -> Iterator[Proxy]:
    """Forward requests to a server, with a fault:

    ========== ===============================================================
    none       none
    busy       503 for every third request
    cut        every second answer ends after half of its bytes
    cut-always every answer does
    slow       0.05 s before each answer
    changing   another ETag for every request
    no-ranges  the whole file instead of a range
    liar       the bytes are not those of the range
    redirect   302 to the same path without a fault
    loop       302 to itself
    missing    404
    huge       a Content-Length of 2**62, and few bytes
    garbage    bytes that are not HTTP
    ========== ===============================================================
    """
    lock = threading.Lock()
    host = upstream.split("//")[1]

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 30

        def log_message(self, *_: Any) -> None:
            pass

        def do_HEAD(self) -> None:  # noqa: N802
            self.forward()

        def do_GET(self) -> None:  # noqa: N802
            self.forward()

        def forward(self) -> None:
            fault, _, path = self.path.lstrip("/").partition("/")
            with lock:
                number = proxy.requests[fault] = proxy.requests.get(fault, 0) + 1
            if fault == "slow":
                time.sleep(0.05)
            if fault == "busy" and number % 3 == 0:
                return self.answer(503, {"Retry-After": "0"}, b"busy")
            if fault == "missing":
                return self.answer(404, {}, b"nothing here")
            if fault in ("redirect", "loop"):
                to = f"/none/{path}" if fault == "redirect" else self.path
                return self.answer(302, {"Location": proxy.url + to}, b"")
            if fault == "garbage":
                self.wfile.write(b"\x00\xff nonsense\r\n\r\n")
                self.close_connection = True
                return None
            status, headers, body = self.upstream(path, fault)
            if fault == "changing":
                headers["ETag"] = f'"{number}"'
            if fault == "liar" and status == 206:
                body = bytes(byte ^ 0x55 for byte in body)
            with lock:
                proxy.nbytes[fault] = proxy.nbytes.get(fault, 0) + len(body)
            length = len(body)
            if fault == "huge":
                headers["Content-Length"] = str(2**62)
                self.close_connection = True
            elif self.command == "GET" and (fault == "cut-always" or fault == "cut" and number % 2 == 0):
                headers["Content-Length"] = str(length)
                body = body[: length // 2]
                self.close_connection = True
            return self.answer(status, headers, body)

        def upstream(self, path: str, fault: str) -> tuple[int, dict[str, str], bytes]:
            connection = http.client.HTTPConnection(host, timeout=20)
            sent = {name: self.headers[name] for name in ("Range", "If-Match", "If-Range") if self.headers[name]}
            if fault == "no-ranges":
                sent.pop("Range", None)
            connection.request(self.command, f"/{path}", headers=sent)
            answer = connection.getresponse()
            body = answer.read()
            kept = ("ETag", "Last-Modified", "Content-Range", "Content-Length", "Accept-Ranges", "Content-Type")
            headers = {name: answer.headers[name] for name in kept if answer.headers[name]}
            if moved := answer.headers["Location"]:
                headers["Location"] = moved.replace(upstream, proxy[fault])
            if fault == "no-ranges":
                headers.pop("Accept-Ranges", None)
            connection.close()
            return answer.status, headers, body

        def answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            headers.setdefault("Content-Length", str(len(body)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    proxy = Proxy(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


#: Settings for clients of the S3 API. moto accepts any key.
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing-secret",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


@contextlib.contextmanager
def s3(bucket: str = "bucket") -> Iterator[dict[str, str]]:
    """Serve moto's S3 API with one bucket, and yield the environment of its clients."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        port = server.get_host_and_port()[1]
        wait_for(port)
        variables = {**CREDENTIALS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"}
        before = dict(os.environ)
        os.environ.update(variables)
        try:
            boto3.client("s3", endpoint_url=variables["AWS_ENDPOINT_URL"]).create_bucket(Bucket=bucket)
            yield variables
        finally:
            os.environ.clear()
            os.environ.update(before)
    finally:
        server.stop()


def s3_client(variables: dict[str, str]) -> Any:
    import boto3

    return boto3.client("s3", endpoint_url=variables["AWS_ENDPOINT_URL"])


def upload(variables: dict[str, str], path: Path, key: str, bucket: str = "bucket") -> None:
    """Copy a file or a directory to the bucket."""
    client = s3_client(variables)
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    for file in files:
        name = key if file == path else f"{key}/{file.relative_to(path).as_posix()}"
        client.upload_file(str(file), bucket, name)
