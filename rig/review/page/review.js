// The review page. What comes from the server is only ever set as text or as a picture's address, never as markup.
import { WORDS } from "/words.js";

const $ = (id) => document.getElementById(id);
const KEYS = { none: "0", cannot_tell: "C", relevant: "1", not_relevant: "2" };
const CHOICES = { match: ["none", "cannot_tell"], relevance: ["relevant", "not_relevant", "cannot_tell"] };
const HELD = 9; // candidates that have a number key
const told = { word: "", more: "", bad: false };
let language = remembered() || (navigator.language.startsWith("zh") ? "zh" : "en");
let state = null;
let busy = false;
let ended = false;

function remembered() {
  const kept = localStorage.getItem("language");
  return kept in WORDS ? kept : null;
}

const word = (key) => WORDS[language][key];

async function ask(path, sent) {
  const options = sent === undefined ? {} : {
    method: "POST", body: JSON.stringify(sent),
    headers: { "Content-Type": "application/json", "X-Review-Key": state ? state.key : "" },
  };
  const answer = await fetch(path, options);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

// One request at a time: a second key press while the first is under way would judge a question nobody has seen.
async function go(path, sent, afterwards = "") {
  if (busy || ended) return;
  busy = true;
  document.body.classList.add("busy");
  try {
    const answer = await ask(path, sent);
    tell(afterwards);
    if (path === "/api/finish") ended = true;
    else state = answer;
  } catch (error) {
    tell(sent === undefined ? "notLoaded" : "notSaved", String(error.message || error), true);
  } finally {
    busy = false;
    document.body.classList.remove("busy");
  }
  show();
}

function tell(key, more = "", bad = false) {
  Object.assign(told, { word: key, more, bad });
}

const judge = (choice, candidate) => {
  const question = state && state.question;
  if (question) go("/api/judge", { place: question.place, choice, candidate }, "saved");
};
const undo = () => state && (state.done ? go("/api/undo", {}, "undone") : (tell("nothingToUndo"), showTold()));

function move(step) {
  if (!state) return;
  const from = state.question ? state.question.place : state.total;
  const place = from + step;
  if (place >= 0 && place < state.total) go(`/api/at/${place}`);
  else if (place >= state.total) go("/api/now");
}

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function picture(img, name, label) {
  img.alt = label;
  img.parentElement?.classList.remove("broken");
  img.onerror = () => { img.alt = word("noPicture"); img.parentElement?.classList.add("broken"); };
  if (img.dataset.name !== name) {
    img.dataset.name = name;
    img.src = `/picture/${name}`;
  }
  return img;
}

function labelled(button, text, key) {
  button.replaceChildren(make("span", { textContent: text }), make("kbd", { textContent: key }));
  button.setAttribute("aria-keyshortcuts", key.replace("←", "ArrowLeft").replace("→", "ArrowRight"));
  return button;
}

function show() {
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-word]")) element.textContent = word(element.dataset.word);
  labelled($("back"), word("back"), "←");
  labelled($("next"), word("next"), "→");
  labelled($("undo"), word("undo"), "U");
  labelled($("whole"), word("whole"), "W");
  labelled($("blink"), word("blink"), "B");
  $("language").textContent = word("other");
  $("language").setAttribute("aria-label", word("otherLabel"));
  $("language").lang = language === "zh" ? "en" : "zh";
  showTold();
  if (ended) showEnd();
  else if (state) showState();
}

function showState() {
  const question = state.question;
  $("name").textContent = state.name;
  document.querySelector("h1 [data-word]").textContent = word(state.adjudicating ? "adjudicate" : "review");
  document.title = `${word(state.adjudicating ? "adjudicate" : "review")} ${state.name}`;
  $("count").textContent = word("count")(state.done, state.total);
  const bar = $("progress");
  bar.setAttribute("aria-label", word("progress"));
  bar.setAttribute("aria-valuemax", state.total);
  bar.setAttribute("aria-valuenow", state.done);
  $("bar").style.setProperty("inline-size", `${(100 * state.done) / Math.max(1, state.total)}%`);
  for (const kind of ["match", "relevance"]) $(kind).hidden = !question || question.kind !== kind;
  $("over").hidden = Boolean(question);
  for (const id of ["whole", "blink"]) $(id).hidden = !question || question.kind !== "match";
  $("ask").textContent = word(!question ? "over" : question.kind === "match" ? "askMatch" : "askRelevance");
  $("opinions").hidden = !question || !question.opinions;
  if (question?.kind === "match") showMatch(question);
  if (question?.kind === "relevance") showRelevance(question);
  if (question?.opinions) showOpinions(question.opinions);
  showChoices(question);
  for (const name of state.ahead) new Image().src = `/picture/${name}`;
}

function showMatch(question) {
  picture($("crop"), question.crop, word("thumbnail"));
  $("match").style.setProperty("--shape", question.shape);
  $("candidates").setAttribute("aria-label", word("candidates"));
  $("candidates").replaceChildren(...question.candidates.map((name, i) => {
    const mine = question.said?.candidate === i;
    const button = make("button", { type: "button", className: "candidate", onclick: () => judge("photo", i) });
    button.setAttribute("aria-label", word("candidate")(i + 1));
    button.setAttribute("aria-pressed", mine);
    const frame = make("span", { className: "frame" });
    const shown = make("img", { className: "its" });
    const over = make("img", { className: "over", alt: "" });
    frame.append(shown, over);
    picture(shown, name, word("candidate")(i + 1));
    over.src = `/picture/${question.crop}`;
    button.append(frame, make("kbd", { textContent: i < HELD ? i + 1 : "" }));
    return button;
  }));
}

function showRelevance(question) {
  $("query").replaceChildren(...question.texts.map(({ language: spoken, text }) =>
    make("blockquote", { lang: spoken, dir: "auto" },
      make("small", { textContent: `${word("query")} · ${word("languages")[spoken] || spoken}`, lang: language }),
      make("p", { textContent: text }))));
  picture($("photo"), question.picture, word("photo"));
  const facts = [question.taken && `${word("taken")} ${question.taken}`, question.where && `${word("where")} ${question.where}`];
  $("facts").textContent = facts.filter(Boolean).join(" · ") || word("noFacts");
}

function saidWords({ choice, candidate }) {
  return choice === "photo" ? word("candidate")(candidate + 1) : word(choice);
}

function showOpinions(opinions) {
  $("opinions").replaceChildren(make("span", { textContent: word("opinions") }),
    ...opinions.map((one) => make("b", { textContent: saidWords(one) })));
}

function showChoices(question) {
  $("choices").setAttribute("aria-label", $("ask").textContent);
  $("choices").replaceChildren(...(question ? CHOICES[question.kind] : []).map((choice) => {
    const button = make("button", { type: "button", className: `choice ${choice}`, onclick: () => judge(choice) });
    button.setAttribute("aria-pressed", question.said?.choice === choice);
    return labelled(button, word(choice), KEYS[choice]);
  }));
}

function showTold() {
  const said = !told.word && state?.question?.said ? `${word("yours")}: ${saidWords(state.question.said)}` : "";
  $("told").textContent = told.word ? `${word(told.word)}${told.more ? ` ${told.more}` : ""}` : said;
  $("told").classList.toggle("bad", told.bad);
}

function showEnd() {
  for (const id of ["match", "relevance", "over", "opinions"]) $(id).hidden = true;
  $("choices").replaceChildren();
  $("ask").textContent = word("finished");
  for (const button of document.querySelectorAll("footer button, #finish")) button.hidden = true;
}

const blink = (on) => document.body.classList.toggle("blinking", on);

function whole() {
  const on = document.body.classList.toggle("whole");
  $("whole").setAttribute("aria-pressed", on);
}

function switchLanguage() {
  language = language === "zh" ? "en" : "zh";
  localStorage.setItem("language", language);
  show();
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key === "b") return blink(true);
  if (event.repeat || !state) return;
  const question = state.question;
  if (key === "ArrowLeft") move(-1);
  else if (key === "ArrowRight") move(1);
  else if (key === "u") undo();
  else if (key === "w") whole();
  else if (question && key === "c") judge("cannot_tell");
  else if (question?.kind === "match" && key === "0") judge("none");
  else if (question?.kind === "match" && /^[1-9]$/.test(key) && question.candidates.length >= Number(key)) judge("photo", Number(key) - 1);
  else if (question?.kind === "relevance" && key === "1") judge("relevant");
  else if (question?.kind === "relevance" && key === "2") judge("not_relevant");
  else return;
  event.preventDefault();
}

document.addEventListener("keydown", pressed);
document.addEventListener("keyup", (event) => event.key.toLowerCase() === "b" && blink(false));
window.addEventListener("blur", () => blink(false));
for (const type of ["pointerdown", "pointerup", "pointerleave", "pointercancel"])
  $("blink").addEventListener(type, () => blink(type === "pointerdown"));
$("back").onclick = () => move(-1);
$("next").onclick = () => move(1);
$("undo").onclick = undo;
$("whole").onclick = whole;
$("language").onclick = switchLanguage;
$("finish").onclick = () => go("/api/finish", {});
show();
go("/api/now");
