"""The pictures of the README. Begin with `take`."""
