/**
 * The custom element <ring-spawn>: a view of state, and the presses that change it. It never imports wasm; the tag is
 * registered elsewhere (main.ts), so that importing this has no effect.
 *
 * For scripts and tests, in its open shadow root: #run, #stop, #preset, #workload-ring (-spawn, -skynet, -work),
 * #actors, #laps, #tokens, #leaves, #work-ns (those that the workload has), #samples, #threads, #size-choices;
 * #contender-actors-handler (-async, -mixed, -threads, -threads-async), #contender-floor; #progress (a <progress>, with
 * #phase and #figure beside it, in the document only during a run); #error (role alert, empty when all is well);
 * #result (an <output>), table #results (tbody[data-contender] tr[data-measure], tr[data-ratio-to]), #sure, #caveats
 * (absent when all is well), .failure[data-contender][data-state], #samples-plot (.samples[data-contender] .mark) with
 * details #samples-table, details #checks (tr[data-check][data-ok]), details #pool (p[data-contender], of runs on a
 * pool of threads), #environment, #contender-notes; #threads-off (why the number of threads can't be set); #few-workers
 * with #set-few-workers; #work, #largest, #ruler, #status.
 * #stop is shown during a run only, beside #run.
 *
 * Events, on the element only: `ring-spawn-params`, `ring-spawn-state`, `ring-spawn-result`, `ring-spawn-done`.
 */

import {
  html,
  LitElement,
  nothing,
  type PropertyValues,
  supportsAdoptingStyleSheets,
  type TemplateResult,
} from 'lit';
import { type Agent, askHints, describeEnvironment, HiddenClock } from './environment';
import {
  DEFAULT_FIELDS,
  type Fields,
  fieldsFromPairs,
  fieldsOf,
  readFields,
  type SizeChoice,
  withPreset,
  withSizes,
} from './fields';
import { formView, largestView, refusalsOf, type ThreadsHere, workView } from './form-view';
import { Bench, type OpenSampler, type Progress } from './measure';
import { type ContenderName, type Params, readPairs } from './params';
import { progressView } from './progress-view';
import type { About } from './protocol';
import type { Hints, Result } from './result';
import { headline, resultSentence, resultView } from './result-view';
import { historyPoints, nowPoints, RULERS } from './ruler-points';
import { rulerView } from './ruler-view';
import { styles } from './styles';
import { obstacle, surroundingsOfPage, threadsFor, usesThreads } from './threads/capability';
import { isTurnTaken, takeTurn } from './turn';
import { sizes } from './words';
import { openWorker } from './worker-sampler';

export type ElementState = 'idle' | 'waiting' | 'running' | 'done' | 'error';

export interface RingSpawnEvents {
  'ring-spawn-params': CustomEvent<Params>;
  'ring-spawn-state': CustomEvent<{ readonly state: ElementState; readonly error: string | null }>;
  'ring-spawn-result': CustomEvent<Result>;
  'ring-spawn-done': CustomEvent<readonly Result[]>;
}

declare global {
  interface HTMLElementTagNameMap {
    'ring-spawn': RingSpawn;
  }
  interface HTMLElementEventMap extends RingSpawnEvents {}
}

/** Announced at these shares of a run, and at its start and end: six changes at most. */
const ANNOUNCED_SHARES = [0.25, 0.5, 0.75];

const PAINT_EVERY_MS = 100;
/** While a run uses every core, painting takes one of them away from it. */
const PAINT_THREADS_EVERY_MS = 250;

/** Beside the folder of the built scripts. */
const STYLE_FILE = '../ring-spawn.css';

/** A browser that asks its user first would keep a run waiting. */
const HINTS_MS = 100;

export class RingSpawn extends LitElement {
  static override styles = styles;
  static override properties = { open: { attribute: false } };

  /** How a fresh wasm instance is made: a worker, unless a test or another host says otherwise. */
  open: OpenSampler = openWorker;

  #fields: Fields = DEFAULT_FIELDS;
  #state: ElementState = 'idle';
  #error: string | null = null;
  #badField: string | null = null;
  #results: readonly Result[] = [];
  #progress: Progress | null = null;
  /** The figure so far of each contender, in the order of their first samples. */
  readonly #soFar = new Map<ContenderName, number>();
  #painted = 0;
  #status = '';
  #announced = 0;
  #about: About | null = null;
  #bench: Bench | null = null;
  #isCancelled = false;
  #threadsHere: ThreadsHere = { usual: 1, obstacle: null };
  #hidden: HiddenClock | null = null;
  #hints: Promise<Hints | null> | null = null;
  #resize: ResizeObserver | null = null;
  #width = 0;

  /** The results of the latest run. */
  get results(): readonly Result[] {
    return this.#results;
  }

  get state(): ElementState {
    return this.#state;
  }

  /** Takes over what an address says; a fault in it is shown, and what it said stays in the form. */
  set address(search: string) {
    const pairs = [...new URLSearchParams(search)];
    const { params, error, field } = readPairs(pairs);
    if (params !== null) this.#setFields(fieldsOf(params));
    else {
      this.#fields = fieldsFromPairs(pairs);
      this.#fail(error, field);
    }
  }

  /** Runs what the form says. Rejects with `already running` during a run, and with a sentence when it can't start. */
  async run(): Promise<readonly Result[]> {
    if (this.#isBusy) throw new Error('already running');
    const { params, error, field } = readFields(this.#fields);
    if (params === null) {
      this.#fail(error, field);
      throw new Error(error);
    }
    this.#results = [];
    this.#progress = null;
    this.#soFar.clear();
    this.#isCancelled = false;
    this.#badField = null;
    this.#enter(isTurnTaken() ? 'waiting' : 'running', null);
    const done = await takeTurn();
    try {
      return await this.#measure(params);
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error), null);
      throw error;
    } finally {
      done();
      this.#bench = null;
      this.#progress = null;
      this.requestUpdate();
    }
  }

  /** Ends the run under way at once; its results say how far it got. */
  stop(): void {
    this.#isCancelled = true;
    this.#bench?.stop();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#threadsHere = {
      usual: threadsFor(navigator.hardwareConcurrency ?? null),
      obstacle: obstacle(surroundingsOfPage()),
    };
    this.#hidden = new HiddenClock(document);
    this.#hints ??= askHints(navigator as Agent);
    // Not at once: a change of size from inside the observer's round is reported as an error of the page.
    this.#resize = new ResizeObserver(() => requestAnimationFrame(() => this.#measureWidth()));
    this.#resize.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stop();
    this.#hidden?.disconnect();
    this.#resize?.disconnect();
  }

  /** Loads one instance to learn what this browser can do, unless a run does that anyway. */
  async probe(): Promise<void> {
    try {
      const sampler = await this.open();
      this.#about = sampler.about;
      sampler.close();
    } catch (error) {
      if (this.#state === 'idle')
        this.#fail(error instanceof Error ? error.message : String(error), null);
    }
    this.requestUpdate();
  }

  override render(): TemplateResult {
    const isBusy = this.#isBusy;
    return html`
      <form id="form" novalidate @submit=${this.#onSubmit}>
        ${formView(this.#fields, this.#badField, this.#threadsHere, { onField: this.#onField, onSizes: this.#onSizes, onPreset: this.#onPreset, onFewWorkers: this.#onFewWorkers })} ${this.#sizeView()}
        <p class="buttons">
          <button id="run" type="submit" ?disabled=${isBusy}>Run</button>
          <button id="stop" type="button" ?hidden=${!isBusy} ?disabled=${!isBusy} @click=${() => this.stop()}>Stop</button>
        </p>
        ${largestView(this.#fields, this.#about?.bytesPerActor ?? null)}
      </form>
      <p id="error" role="alert" ?hidden=${this.#error === null}>${this.#error === null ? '' : sentence(this.#error)}</p>
      <p id="status" role="status" class="unseen">${this.#status}</p>
      ${isBusy ? progressView(this.#state === 'waiting', this.#progress, this.#soFar) : nothing} ${this.#rulerView()} ${resultView(this.#results, this.#width)}
    `;
  }

  /**
   * Safari before 16.4 adopts no style sheets, and Lit would write the styles into the shadow root, which the page's
   * policy forbids; a file is allowed. To be removed when the page asks for 16.4.
   */
  protected override createRenderRoot(): HTMLElement | DocumentFragment {
    if (supportsAdoptingStyleSheets) return super.createRenderRoot();
    const root = this.attachShadow({ mode: 'open' });
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = new URL(STYLE_FILE, import.meta.url).href;
    root.append(link);
    return root;
  }

  protected override firstUpdated(_: PropertyValues): void {
    this.#measureWidth();
  }

  #sizeView(): TemplateResult {
    const { params } = readFields(this.#fields);
    const bytes = this.#about?.bytesPerActor ?? null;
    const refusals = params === null || bytes === null ? [] : refusalsOf(params, bytes);
    return html`${params === null ? nothing : workView(params)}
      ${refusals.map((text) => html`<p class="failure">${sentence(text)}</p>`)}`;
  }

  #rulerView(): TemplateResult {
    const { workload } = this.#fields;
    const ruler = RULERS[workload];
    if (ruler === null) return html`<div id="ruler"></div>`;
    const { title, caption, history } = ruler;
    const points = [...nowPoints(this.#results, workload), ...historyPoints(history)];
    return html`<div id="ruler">${this.#width === 0 ? nothing : rulerView(points, this.#width, title, caption)}</div>`;
  }

  readonly #onSubmit = (event: Event): void => {
    event.preventDefault();
    // Enter in a field during a run: nothing to do.
    if (this.#isBusy) return;
    // What went wrong is shown already.
    this.run().catch(() => {});
  };

  readonly #onField = (change: Partial<Fields>): void =>
    this.#setFields({ ...this.#fields, ...change });

  readonly #onSizes = (sizes: SizeChoice['sizes']): void =>
    this.#setFields(withSizes(this.#fields, sizes));

  readonly #onFewWorkers = (sizes: SizeChoice['sizes']): void => {
    this.#onSizes(sizes);
    // The pressed button goes with what it said.
    this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('#actors')?.focus());
  };

  readonly #onPreset = (name: string): void => this.#setFields(withPreset(this.#fields, name));

  #setFields(fields: Fields): void {
    this.#fields = fields;
    const { params } = readFields(fields);
    if (params !== null) {
      if (this.#state === 'error') this.#enter('idle', null);
      this.#badField = null;
      this.#emit('ring-spawn-params', params);
    }
    this.requestUpdate();
  }

  async #measure(params: Params): Promise<readonly Result[]> {
    if (this.#isCancelled) return this.#finish([]);
    this.#enter('running', null);
    this.#announce(`Running ${sizes(params.workload)}.`);
    this.#announced = 0;
    const hints = await Promise.race([this.#hints, wait(HINTS_MS)]);
    if (this.#isCancelled) return this.#finish([]);
    const hiddenAtStart = this.#hidden?.ms ?? 0;
    const observe = () => () =>
      describeEnvironment(navigator as Agent, (this.#hidden?.ms ?? 0) - hiddenAtStart, hints);
    this.#bench = new Bench({ open: this.#openAndLearn, observe });
    return this.#finish(await this.#bench.run(params, { onProgress: this.#onProgress }));
  }

  readonly #openAndLearn: OpenSampler = async (threads) => {
    const sampler = await this.open(threads);
    // A pool knows only of contenders on threads.
    if (threads === undefined) this.#about = sampler.about;
    return sampler;
  };

  #finish(results: readonly Result[]): readonly Result[] {
    this.#results = results;
    for (const result of results) this.#emit('ring-spawn-result', result);
    this.#enter('done', null);
    const first = headline(results);
    this.#announce(first === undefined ? 'Stopped.' : sentence(resultSentence(first)));
    this.#emit('ring-spawn-done', results);
    return results;
  }

  readonly #onProgress = (progress: Progress): void => {
    this.#progress = progress;
    if (progress.nsSoFar !== null) this.#soFar.set(progress.contender, progress.nsSoFar);
    const now = performance.now();
    while (
      this.#announced < ANNOUNCED_SHARES.length &&
      progress.share >= ANNOUNCED_SHARES[this.#announced]!
    ) {
      this.#announce(`${Math.round(ANNOUNCED_SHARES[this.#announced]! * 100)} percent done.`);
      this.#announced++;
    }
    // Short samples tell more often than anyone can read.
    const every = usesThreads(progress.contender) ? PAINT_THREADS_EVERY_MS : PAINT_EVERY_MS;
    if (now - this.#painted < every) return;
    this.#painted = now;
    this.requestUpdate();
  };

  #fail(error: string, field: string | null): void {
    this.#badField = field;
    this.#enter('error', error);
  }

  #enter(state: ElementState, error: string | null): void {
    this.#state = state;
    this.#error = error;
    this.requestUpdate();
    // Before the update takes the pressed button away.
    if (this.#isBusy) this.#moveFocus('run', 'stop');
    else this.#moveFocus('stop', 'run');
    this.#emit('ring-spawn-state', { state, error });
  }

  get #isBusy(): boolean {
    return this.#state === 'running' || this.#state === 'waiting';
  }

  #announce(text: string): void {
    this.#status = text;
    this.requestUpdate();
  }

  /** The pressed one gets disabled: the focus goes to the other. They don't swap places, or a double click would stop. */
  #moveFocus(from: 'run' | 'stop', to: 'run' | 'stop'): void {
    if (this.shadowRoot?.activeElement?.id !== from) return;
    this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(`#${to}`)?.focus());
  }

  #measureWidth(): void {
    const width = Math.round(this.getBoundingClientRect().width);
    if (width === this.#width) return;
    this.#width = width;
    this.requestUpdate();
  }

  #emit<Name extends keyof RingSpawnEvents>(
    name: Name,
    detail: RingSpawnEvents[Name]['detail'],
  ): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function wait(ms: number): Promise<null> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, null);
  });
}

/** An address at the beginning stays as it is. */
function sentence(text: string): string {
  const begin = /^[a-z]+:/.test(text) ? text.charAt(0) : text.charAt(0).toUpperCase();
  return `${begin}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}
