# Runs one program on many inputs, each in a fresh forked child: the trusted half of a sandbox, sent in as one compiled module.
#
# This process never executes the program: it compiles it once and forks a child an input, so that whatever the program does (at import
# too) ends with that child. It is process 1 of its own pid namespace where there is a sandbox: no child can signal it, and after every
# input it kills all that is left. It holds one input at a time and never an expected value.
#
# Wire, both ways: a message is a 4-byte big-endian length and then fields, each a 4-byte length and its bytes.
# In:  the setup (see supervisor.py), then [input] each.
# Out: [ready], then [compiled] or [build_failed, reason, text], then for each input
#      [result, outcome, reason, wall ms, cpu ms, value, detail, output, bytes cut from output].
import os


def pack(*fields):
    body = b''.join(len(field).to_bytes(4, 'big') + field for field in fields)
    return len(body).to_bytes(4, 'big') + body


def unpack(data):
    fields, at = [], 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], 'big')
        fields.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    return fields


def send(fd, data, write=os.write):
    while data:
        data = data[write(fd, data) :]


def receive(fd):
    """The fields of one message, or None at the end. Reads not a byte beyond it, so that no child inherits an input not its own."""
    size = exactly(fd, 4)
    body = None if size is None else exactly(fd, int.from_bytes(size, 'big'))
    return None if body is None else unpack(body)


def exactly(fd, count):
    parts = []
    while count:
        part = os.read(fd, min(count, 1 << 20))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b''.join(parts)
