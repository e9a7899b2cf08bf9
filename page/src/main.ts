import "uplot/dist/uPlot.min.css";
import "./style.css";
import { fetchPack, type Pack, readText } from "./data";
import { make } from "./dom";
import { RunPage } from "./run_page";

async function start(): Promise<void> {
  const app = document.getElementById("app")!;
  try {
    const given = document.getElementById("planetfall-data");
    const pack = given ? await readText(given.textContent ?? "") : await fetchPack();
    show(app, pack);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    app.replaceChildren(make("p", { id: "wait", className: "bad", textContent: `Nothing can be shown: ${text}` }));
  }
}

function show(app: HTMLElement, pack: Pack): void {
  if (pack.header.kind === "empty") throw new Error(pack.header.problem);
  document.title = `${pack.header.name} - Planetfall`;
  const page = new RunPage(app, pack);
  page.start();
  Object.assign(window, { planetfall: page });
}

void start();
