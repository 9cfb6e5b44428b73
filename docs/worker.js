// A browser refuses workers on file://. Run the search worker in a hidden frame there.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      addEventListener("message", (event) => {
        if (event.source !== inside) return;
        const message = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(message);
        this.onmessage?.(message);
      });
      this.ready = new Promise((done) => {
        const page = inside.document;
        page.open();
        page.write("<!doctype html><script>postMessage = (data) => parent.postMessage(data, '*')</script>");
        const script = page.createElement("script");
        script.src = url;
        script.onload = done;
        page.head.append(script);
        page.close();
      });
    }
    postMessage(data) {
      const event = () => new this.frame.contentWindow.MessageEvent("message", { data });
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(event()));
    }
    terminate() { this.frame.remove(); }
  };
}
