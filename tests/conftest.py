"""What all tests share."""

# Projects that are analysed, not collected: some hold files called test_*.py.
collect_ignore_glob = ["fixtures/cases/*/*"]
