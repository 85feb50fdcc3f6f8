"""Networks around one variable, the class: naive Bayes, trees and more on top of it, its blanket."""
