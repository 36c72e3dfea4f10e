"""Measurements that are run by hand; each script says how."""
