/* Search without a server: a browser starts no worker from a file, so the script of the worker runs in a hidden frame. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data })); // the worker answers
      inside.importScripts = (...scripts) => Promise.all(scripts.map((script) => load(inside, script)));
      load(inside, address).then(() => {
        this.inside = inside;
        for (const data of this.waiting) this.postMessage(data);
      });
    }

    postMessage(data) {
      if (this.inside === undefined) this.waiting.push(data);
      else this.inside.dispatchEvent(new MessageEvent("message", { data }));
    }
  };

  function load(inside, address) {
    return new Promise((done, failed) => {
      const script = inside.document.createElement("script");
      script.src = address;
      script.onload = done;
      script.onerror = failed;
      inside.document.body.append(script);
    });
  }
}
