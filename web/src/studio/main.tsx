import { render } from "preact";

render(<main><h1>manipula studio</h1></main>, document.getElementById("studio")!);
document.body.dataset.ready = "1";
