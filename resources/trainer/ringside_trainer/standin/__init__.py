"""A STAND-IN for TRL, PyTorch and a language model: a softmax policy of a few tokens in plain Python.

It trains nothing of use. It exists so that everything around the training library, which is what this package is about, runs and is tested
on any machine. Its trainers follow TRL's documented calling contract (and only that): the repeating sampler, generation once a batch,
scoring before the shuffle, None for a row that cannot be scored, log columns and metrics from the reward function, callbacks in order,
checkpoints that hold the full state.
"""
