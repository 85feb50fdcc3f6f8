"""The arcs of two public networks, child: parents."""

ALARM = {
    "ARTCO2": "VENTALV",
    "BP": "CO TPR",
    "CATECHOL": "ARTCO2 INSUFFANESTH SAO2 TPR",
    "CO": "HR STROKEVOLUME",
    "CVP": "LVEDVOLUME",
    "EXPCO2": "ARTCO2 VENTLUNG",
    "HISTORY": "LVFAILURE",
    "HR": "CATECHOL",
    "HRBP": "ERRLOWOUTPUT HR",
    "HREKG": "ERRCAUTER HR",
    "HRSAT": "ERRCAUTER HR",
    "LVEDVOLUME": "HYPOVOLEMIA LVFAILURE",
    "MINVOL": "INTUBATION VENTLUNG",
    "PAP": "PULMEMBOLUS",
    "PCWP": "LVEDVOLUME",
    "PRESS": "INTUBATION KINKEDTUBE VENTTUBE",
    "PVSAT": "FIO2 VENTALV",
    "SAO2": "PVSAT SHUNT",
    "SHUNT": "INTUBATION PULMEMBOLUS",
    "STROKEVOLUME": "HYPOVOLEMIA LVFAILURE",
    "TPR": "ANAPHYLAXIS",
    "VENTALV": "INTUBATION VENTLUNG",
    "VENTLUNG": "INTUBATION KINKEDTUBE VENTTUBE",
    "VENTMACH": "MINVOLSET",
    "VENTTUBE": "DISCONNECT VENTMACH",
}

SACHS = {
    "Akt": "Erk PKA",
    "Erk": "Mek PKA",
    "Jnk": "PKA PKC",
    "Mek": "PKA PKC Raf",
    "P38": "PKA PKC",
    "PIP2": "PIP3 Plcg",
    "PIP3": "Plcg",
    "PKA": "PKC",
    "Raf": "PKA PKC",
}


def arcs_of(families):
    return [(parent, child) for child, parents in families.items() for parent in parents.split()]
