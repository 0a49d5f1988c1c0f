/**
 * The custom element <ring-spawn>: a view of state, and the presses that change it. It never imports wasm; the tag is
 * registered elsewhere (main.ts), so that importing this has no effect.
 *
 * For scripts and tests, in its open shadow root: #run, #stop, #preset, #workload-ring, #workload-spawn, #actors,
 * #laps, #tokens, #samples, #contender-actors-handler (-async, -mixed), #contender-floor; #progress (a <progress>, with
 * #phase and #figure beside it, in the document only during a run); #error (role alert, empty when all is well);
 * #result (an <output>), table #results (tbody[data-contender] tr[data-measure]), #sure, #hidden,
 * .failure[data-contender][data-state], details #checks (tr[data-check][data-ok]), #largest, #ruler, #status.
 *
 * Events, on the element only: `ring-spawn-params`, `ring-spawn-state`, `ring-spawn-result`, `ring-spawn-done`.
 */

import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { type Agent, describeEnvironment, HiddenClock } from './environment';
import {
  DEFAULT_FIELDS,
  type Fields,
  fieldsFromPairs,
  fieldsOf,
  readFields,
  withPreset,
} from './fields';
import { formView, largestView } from './form-view';
import { HISTORY, historyNs } from './history';
import { Bench, type OpenSampler, type Progress } from './measure';
import { memoryRefusal, type Params, readPairs, type WorkloadName } from './params';
import type { About } from './protocol';
import { mainMeasure, type Result } from './result';
import { browserWords, headline, resultSentence, resultView } from './result-view';
import type { RulerPoint } from './ruler';
import { rulerView } from './ruler-view';
import { styles } from './styles';
import { isTurnTaken, takeTurn } from './turn';
import { CONTENDER_WORDS, count, duration, durationRange, plural, rate, sizes } from './words';
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
  #painted = 0;
  #status = '';
  #announced = 0;
  #about: About | null = null;
  #bench: Bench | null = null;
  #isCancelled = false;
  #hidden: HiddenClock | null = null;
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
    if (this.#state === 'running' || this.#state === 'waiting') throw new Error('already running');
    const { params, error, field } = readFields(this.#fields);
    if (params === null) {
      this.#fail(error, field);
      throw new Error(error);
    }
    this.#results = [];
    this.#progress = null;
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
      this.#moveFocus('stop', 'run');
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
    this.#hidden = new HiddenClock(document);
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
    const isBusy = this.#state === 'running' || this.#state === 'waiting';
    return html`
      <form id="form" novalidate @submit=${this.#onSubmit}>
        ${formView(this.#fields, this.#badField, { onField: this.#onField, onPreset: this.#onPreset })} ${this.#sizeView()}
        <p class="buttons">
          <button id="run" type="submit" ?disabled=${isBusy}>Run</button>
          <button id="stop" type="button" ?disabled=${!isBusy} @click=${() => this.stop()}>Stop</button>
        </p>
      </form>
      <p id="error" role="alert" ?hidden=${this.#error === null}>${this.#error === null ? '' : sentence(this.#error)}</p>
      <p id="status" role="status" class="unseen">${this.#status}</p>
      ${isBusy ? this.#progressView() : nothing} ${this.#rulerView()} ${resultView(this.#results)}
    `;
  }

  protected override firstUpdated(_: PropertyValues): void {
    this.#measureWidth();
  }

  #sizeView(): TemplateResult {
    const { params } = readFields(this.#fields);
    const workload: WorkloadName = this.#fields.workload === 'spawn' ? 'spawn' : 'ring';
    const refusals =
      params === null || this.#about === null ? [] : this.#refusals(params, this.#about);
    const hops =
      params?.workload.name === 'ring'
        ? html`<p id="hops" class="hint">${sizes(params.workload)}: ${plural(params.workload.actors * params.workload.laps * params.workload.tokens, 'hop')} in each sample.</p>`
        : nothing;
    return html`${hops} ${largestView(workload, this.#about?.bytesPerActor ?? null)} ${refusals.map((text) => html`<p class="failure">${sentence(text)}</p>`)}`;
  }

  #refusals(params: Params, about: About): readonly string[] {
    return params.contenders.flatMap(
      (contender) =>
        memoryRefusal(
          params.workload,
          contender,
          about.bytesPerActor[params.workload.name][contender],
        ) ?? [],
    );
  }

  #progressView(): TemplateResult {
    const progress = this.#progress;
    return html`<div class="progress">
      <label for="progress" id="phase">${this.#state === 'waiting' ? 'Another run on this page goes first; this one waits' : phaseWords(progress)}</label>
      <progress id="progress" max="1" .value=${progress?.share ?? 0}></progress>
      <span id="figure">${progress === null || progress.nsSoFar === null ? '' : `${CONTENDER_WORDS[progress.contender].short}, so far: ${duration(progress.nsSoFar)}`}</span>
    </div>`;
  }

  #rulerView(): TemplateResult {
    const isRing = this.#fields.workload !== 'spawn';
    const title = isRing
      ? 'What a message between two actors costs'
      : 'What an actor costs, from spawn to stop';
    const caption = isRing
      ? 'Standing on the strip: measured now. Hanging below it: what the posts reported on theirs. Each step is ten times slower. The 2006 post leaves its number of hops open, hence the question marks.'
      : 'Standing on the strip: measured now. Hanging below it: what the posts reported on theirs (2012 with the stop, 2009 without). Each step is ten times slower.';
    const points = [
      ...nowPoints(this.#results, isRing ? 'ring' : 'spawn'),
      ...historyPoints(isRing ? 'ring' : 'spawn'),
    ];
    return html`<div id="ruler">${this.#width === 0 ? nothing : rulerView(points, this.#width, title, caption)}</div>`;
  }

  readonly #onSubmit = (event: Event): void => {
    event.preventDefault();
    // Enter in a field during a run: nothing to do.
    if (this.#state === 'running' || this.#state === 'waiting') return;
    // What went wrong is shown already.
    this.run().catch(() => {});
    this.#moveFocus('run', 'stop');
  };

  readonly #onField = (change: Partial<Fields>): void =>
    this.#setFields({ ...this.#fields, ...change });

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
    const hiddenAtStart = this.#hidden?.ms ?? 0;
    const observe = () => () =>
      describeEnvironment(navigator as Agent, (this.#hidden?.ms ?? 0) - hiddenAtStart);
    this.#bench = new Bench({ open: this.#openAndLearn, observe });
    return this.#finish(await this.#bench.run(params, { onProgress: this.#onProgress }));
  }

  readonly #openAndLearn: OpenSampler = async () => {
    const sampler = await this.open();
    this.#about = sampler.about;
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
    const now = performance.now();
    while (
      this.#announced < ANNOUNCED_SHARES.length &&
      progress.share >= ANNOUNCED_SHARES[this.#announced]!
    ) {
      this.#announce(`${Math.round(ANNOUNCED_SHARES[this.#announced]! * 100)} percent done.`);
      this.#announced++;
    }
    // Short samples tell more often than anyone can read.
    if (now - this.#painted < PAINT_EVERY_MS) return;
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
    this.#emit('ring-spawn-state', { state, error });
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

function phaseWords(progress: Progress | null): string {
  if (progress === null) return 'Starting';
  const stage = {
    loading: 'loading the wasm',
    cold: 'the first, cold sample',
    'warm-up': 'warming up',
    sample: `sample ${progress.kept + 1}`,
  }[progress.stage];
  const phase =
    progress.phase === null
      ? ''
      : `, ${PHASE_WORDS[progress.phase] ?? progress.phase} ${count(progress.done)} of ${count(progress.total)}`;
  return `${CONTENDER_WORDS[progress.contender].short}: ${stage}${phase}`;
}

const PHASE_WORDS: Readonly<Record<string, string>> = {
  spawn: 'actors',
  hop: 'hops',
  stop: 'stops',
  spawnStop: 'actors',
  check: 'checking',
};

function nowPoints(results: readonly Result[], workload: WorkloadName): RulerPoint[] {
  const first = headline(results);
  return results.flatMap((result): RulerPoint[] => {
    const { measure } = mainMeasure(result);
    if (result.state !== 'complete' || result.workload.name !== workload || measure === null)
      return [];
    const words = CONTENDER_WORDS[result.contender].short;
    if (result !== first) return [{ kind: 'contender', label: words, ns: measure.median }];
    const range = measure.ci95 === null ? '' : `${durationRange(measure.ci95)}, `;
    return [
      {
        kind: 'run',
        label: `${words}, ${browserWords(result)}`,
        ns: measure.median,
        detail: `${range}${rate(measure.median)}`,
      },
    ];
  });
}

function historyPoints(workload: WorkloadName): RulerPoint[] {
  return HISTORY.flatMap((row) =>
    row.label !== null && row.workload === workload
      ? [{ kind: 'history' as const, label: row.label, ns: historyNs(row) }]
      : [],
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}
