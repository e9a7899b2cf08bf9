import "uplot/dist/uPlot.min.css";
import "./style.css";
import { CampaignPage } from "./campaign_page";
import { fetchPack, type Pack, readText } from "./data";
import { make } from "./dom";
import { LiveLink } from "./live_link";
import { RunPage } from "./run_page";

const app = document.getElementById("app")!;

async function start(): Promise<void> {
  const given = document.getElementById("planetfall-data");
  await attempt(async () => show(given ? await readText(given.textContent ?? "") : await fetchPack(), !given));
}

async function attempt(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    app.className = "";
    app.replaceChildren(make("p", { id: "wait", className: "bad", textContent: `Nothing can be shown: ${text}` }));
  }
}

function show(pack: Pack, isServed: boolean, back?: () => void): void {
  if (pack.header.kind === "empty") throw new Error(pack.header.problem);
  document.title = `${pack.header.name} - Planetfall`;
  if (pack.header.kind === "campaign") {
    const page = new CampaignPage(app, pack, isServed ? (run) => void replay(run) : null);
    const replay = (run: number) =>
      attempt(async () => {
        const one = await fetchPack(`&run=${run}`);
        page.stop();
        show(one, isServed, () => show(pack, isServed));
      });
    page.start();
    Object.assign(window, { planetfall: page });
    return;
  }
  const link = isServed && pack.header.live ? new LiveLink(pack.header.seen ?? "") : null;
  const page = begin(new RunPage(app, pack, { back, link }));
  if (link) follow(link, page);
}

function begin(page: RunPage): RunPage {
  page.start();
  Object.assign(window, { planetfall: page });
  return page;
}

/** Lets a page follow a session that runs; each new scene of it is a new page that takes over from the one before. */
function follow(link: LiveLink, first: RunPage): void {
  let page = first;
  link.listen({
    replaced: (pack) =>
      void attempt(async () => {
        const before = page;
        before.stop();
        if (pack.header.kind === "empty") throw new Error(pack.header.problem);
        page = begin(new RunPage(app, pack, { link, before }));
      }),
  });
  link.connect();
}

void start();
