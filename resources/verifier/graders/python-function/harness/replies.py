REPLY_FD, HELD_FD, HOLDING_FD = 51, 53, 54
# Of messages held back, so that whoever reads them is woken for several at once; and for how long, in seconds.
HELD_BYTES, HELD_FOR = 8192, 0.02


class Replies:
    """Messages on their way out. They are held in a pipe, not in memory that the next child would get a copy of."""

    held, since, pipe = 0, 0.0, hasattr(posix, 'splice')

    def add(self, data, now, write=posix.write):
        if not self.pipe or len(data) > HELD_BYTES:
            self.flush(now)
            send(REPLY_FD, data)
            return
        write(HOLDING_FD, data)
        self.held += len(data)
        if self.held > HELD_BYTES or now - self.since > HELD_FOR:
            self.flush(now)

    def flush(self, now):
        while self.held:
            self.held -= posix.splice(HELD_FD, REPLY_FD, self.held)
        self.since = now
