"""What `treewright learn` knows: methods, options, rows and what it says."""
