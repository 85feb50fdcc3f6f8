"""See in a table what a person would see: marks, dates, spellings, copies; and mend what is safe to mend."""
