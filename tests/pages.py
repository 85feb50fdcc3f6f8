"""What a page of `to_html` holds."""

import base64
import gzip
import json
import re


def embedded_model(page):
    """The model that the script of a page reads."""
    found = re.search(r'<script type="application/json" id="model">(.*?)</script>', page, re.S)
    model = json.loads(found[1])
    return model | json.loads(gzip.decompress(base64.b64decode(model.pop("rest"))))
