class Folder:
    """The children's only writable folder, one and the same for all: it is made as new before each."""

    def __init__(self, setup):
        self.path, self.exact = setup.tmp, setup.contained
        self.untouched = None

    def renew(self, stat=posix.stat, utime=posix.utime):
        """In a sandbox it is a tmpfs, where a folder's size and links tell whether anything is in it: one that looks untouched is."""
        if not self.exact or stat(self.path)[:7] != self.untouched:
            wipe(self.path)
            self.untouched = stat(self.path)[:7]
        # Always, so that no time of it tells what was done before.
        utime(self.path, (0, 0))


def wipe(folder):
    """Empties a folder and takes its marks off, so that none of them tells the next child anything.

    A folder's entries are moved up before it goes: no depth of nesting can make a path too long.
    """
    posix.chmod(folder, 0o700)
    moved, unique = 0, posix.urandom(8).hex()
    while names := posix.listdir(folder):
        for name in names:
            path = folder + '/' + name
            if not plain_folder(path):
                posix.unlink(path)
                continue
            posix.chmod(path, 0o700)
            for inner in posix.listdir(path):
                moved += 1
                if plain_folder(path + '/' + inner):
                    posix.chmod(path + '/' + inner, 0o700)
                posix.rename(path + '/' + inner, '%s/%s%d' % (folder, unique, moved))
            posix.rmdir(path)


def plain_folder(path):
    return posix.lstat(path).st_mode & 0o170000 == 0o040000
