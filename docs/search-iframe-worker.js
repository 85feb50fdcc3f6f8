// The search of the site: questions in whole sentences, and pages that were opened as files.

// It takes every word for the beginning of one: "a" finds all that begins with an a, "comma" the command line.
// So little words are left out, and the others count as they stand; only the last may still be being typed.
const LITTLE = new Set(
  ("a an and any are as at be by can do does for from have how i if in into is it its may mean my of on or should " +
    "that the their there these they this to was were what when where which who why will with you your").split(" "),
);

function asked(question) {
  const words = question.trim().split(/\s+/);
  if (/["^~*]|(^|\s)[+-]/.test(question)) return question; // somebody knows its signs
  const told = words.filter((word) => !LITTLE.has(word.toLowerCase()));
  const all = told.length > 0 ? told : words;
  return [...all.map((word) => `${word}^100`), ...(/\s$/.test(question) ? [] : all.slice(-1))].join(" ");
}

// The search is a worker, and browsers start none for pages that were opened as files: there its script runs in a
// frame that nobody sees.
class FrameWorker extends EventTarget {
  constructor(script) {
    super();
    this.frame = document.createElement("iframe");
    this.frame.hidden = true;
    this.frame.answer = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
    document.body.append(this.frame);
    const page = this.frame.contentDocument;
    page.open();
    this.ready = new Promise((resolve) => this.frame.addEventListener("load", resolve, { once: true }));
    page.write(`<script>self.postMessage = frameElement.answer;</script><script src="${script}"></script>`);
    page.close();
  }

  async postMessage(data) {
    await this.ready;
    this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data: structuredClone(data) }));
  }

  terminate() {
    this.frame.remove();
  }
}

if (location.protocol === "file:") window.Worker = FrameWorker;

const QUERY = 2;
const post = window.Worker.prototype.postMessage;
window.Worker.prototype.postMessage = function (message, ...rest) {
  const isQuestion = message.type === QUERY && typeof message.data === "string";
  return post.call(this, isQuestion ? { ...message, data: asked(message.data) } : message, ...rest);
};
