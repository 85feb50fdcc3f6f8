"""Learning over d-separation trees (Xie, Geng & Zhao 2006), from one table or from several."""
