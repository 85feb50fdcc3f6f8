"""Networks from rows with gaps: structural EM beside complete rows, available cells and rows without gaps."""
