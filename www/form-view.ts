/** The choices: workload, sizes, contenders. Shows fields and says what was typed or chosen. */

import { css, html, nothing, type TemplateResult } from 'lit';
import { CONTENDER_NOTES } from './contender-notes';
import { type Fields, fewWorkers, type SizeChoice, shownSizes, sizeChoices } from './fields';
import {
  CONTENDERS,
  doesWorkload,
  LIMITS,
  mostActors,
  type Params,
  PRESETS,
  type PresetName,
  refusalOf,
  type SizeKey,
  unitNameOf,
  unitsOf,
  WORKLOADS,
  type WorkloadName,
} from './params';
import type { BytesPerActor } from './protocol';
import { usesThreads } from './threads/capability';
import { CONTENDER_WORDS, count, duration, plural } from './words';

export interface FormEvents {
  readonly onField: (change: Partial<Fields>) => void;
  readonly onSizes: (sizes: SizeChoice['sizes']) => void;
  readonly onPreset: (name: string) => void;
  /** A button that goes away with its press. */
  readonly onFewWorkers: (sizes: SizeChoice['sizes']) => void;
}

/** What this browser has of threads. */
export interface ThreadsHere {
  /** How many are used when nobody says. */
  readonly usual: number;
  /** Why there can be none, in words that can follow “because”; else null. */
  readonly obstacle: string | null;
}

const WORKLOAD_WORDS: Readonly<Record<WorkloadName, string>> = {
  ring: 'ring: a token goes round',
  spawn: 'spawn: start actors, stop them',
  skynet: 'skynet: a tree sums its leaves',
  work: 'work: a ring whose messages compute',
};

const SIZE_WORDS: Readonly<Record<SizeKey, string>> = {
  actors: 'Actors',
  laps: 'Laps',
  tokens: 'Tokens',
  leaves: 'Leaves',
  'work-ns': 'Work, in ns',
};

const PRESET_WORDS: Readonly<Record<PresetName, string>> = {
  'erlang-2007': '2007, Erlang’s ring: 30,000 actors, 1,000 laps',
  'armstrong-spawn': '2012, Armstrong’s challenge: spawn 100,000 actors',
  'threads-2006': '2006, POSIX threads: 500 actors, 3,000 laps, 13 samples',
  'kilim-2009': '2009, Kilim’s ring: 100 actors, 1,000,000 laps',
  tokens: 'many tokens: 10,000 actors, 20 laps, 64 tokens',
};

interface NumberField {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly hint?: string;
  readonly isOff?: boolean;
}

export function formView(
  fields: Fields,
  bad: string | null,
  threads: ThreadsHere,
  events: FormEvents,
): TemplateResult {
  const number = ({
    name,
    label,
    value,
    change,
    hint = '',
    isOff = false,
  }: NumberField): TemplateResult => html`<p class="field">
    <label for=${name}>${label}</label>
    <input
      id=${name}
      name=${name}
      type="text"
      inputmode="numeric"
      autocomplete="off"
      spellcheck="false"
      .value=${value}
      placeholder=${hint || nothing}
      aria-invalid=${bad === name ? 'true' : nothing}
      aria-describedby=${bad === name ? 'error' : nothing}
      ?disabled=${isOff}
      @input=${(event: Event) => change((event.target as HTMLInputElement).value)}
    />
  </p>`;
  return html`
    <p class="field wide">
      <label for="preset">Preset</label>
      <select id="preset" name="preset" .value=${fields.preset} @change=${(event: Event) => events.onPreset((event.target as HTMLSelectElement).value)}>
        <option value="" ?selected=${fields.preset === ''}>own sizes</option>
        ${PRESETS.map((name) => html`<option value=${name} ?selected=${fields.preset === name}>${PRESET_WORDS[name]}</option>`)}
      </select>
    </p>
    <fieldset class="choice">
      <legend>Workload</legend>
      ${WORKLOADS.map(
        (name) => html`<label
          ><input type="radio" name="workload" id=${`workload-${name}`} value=${name} .checked=${fields.workload === name} @change=${() => events.onField({ workload: name, preset: '' })} />
          ${WORKLOAD_WORDS[name]}</label
        >`,
      )}
    </fieldset>
    <div class="sizes">
      ${shownSizes(fields).map(([name, value]) =>
        number({
          name,
          label: SIZE_WORDS[name],
          value,
          change: (text) => events.onSizes({ [name]: text }),
        }),
      )}
      ${number({
        name: 'samples',
        label: 'Samples',
        value: fields.samples,
        change: (samples) => events.onField({ samples }),
        hint: 'enough',
      })}
      ${number({
        name: 'threads',
        label: 'Threads',
        value: fields.threads,
        change: (threads) => events.onField({ threads }),
        hint: String(threads.usual),
        // What stands there can be taken away, since it may be what is wrong.
        isOff: fields.threads === '' && whyNoThreads(fields, threads) !== null,
      })}
    </div>
    ${sizeChoicesView(fields, events)}
    <fieldset class="choice">
      <legend>Contenders</legend>
      ${CONTENDERS.map(
        (name) => html`<label
          ><input
            type="checkbox"
            name="contender"
            id=${`contender-${name.replace('/', '-')}`}
            value=${name}
            .checked=${fields.contenders.includes(name)}
            ?disabled=${!fields.contenders.includes(name) && !doesWorkload(name, fields.workload)}
            @change=${(event: Event) => events.onField({ contenders: toggled(fields.contenders, name, (event.target as HTMLInputElement).checked) })}
          />
          ${CONTENDER_WORDS[name].short}</label
        >`,
      )}
    </fieldset>
    ${absentView(fields)} ${threadsView(fields, threads)} ${fewWorkersView(fields, events)}
    <details id="contender-notes">
      <summary>What each contender stands for</summary>
      <dl>
        ${CONTENDERS.map(
          (name) => html`<div>
            <dt>${CONTENDER_WORDS[name].short}</dt>
            <dd>${CONTENDER_NOTES[name]}</dd>
          </div>`,
        )}
      </dl>
    </details>
  `;
}

function sizeChoicesView(fields: Fields, { onSizes }: FormEvents): TemplateResult | typeof nothing {
  const choices = sizeChoices(fields);
  if (choices.length === 0) return nothing;
  return html`<p id="size-choices" class="hint">Sizes:
    ${choices.map(({ words, sizes }) => html`<button class="small" type="button" @click=${() => onSizes(sizes)}>${words}</button> `)}
  </p>`;
}

/** Contenders that can't be chosen for this workload. */
function absentView({ workload }: Fields): TemplateResult | typeof nothing {
  const absent = CONTENDERS.filter((name) => !doesWorkload(name, workload));
  if (absent.length === 0) return nothing;
  const names = absent.map((name) => CONTENDER_WORDS[name].short).join(', ');
  return html`<p id="absent" class="hint">Only for ring and spawn: ${names}.</p>`;
}

/** Why the number of threads can't be set; null where it can. */
function whyNoThreads({ contenders }: Fields, { obstacle }: ThreadsHere): string | null {
  if (!contenders.some(usesThreads))
    return 'Threads: only threaded actors use them, and none are chosen.';
  return obstacle === null ? null : `Threaded actors run on one thread here, because ${obstacle}.`;
}

function threadsView(fields: Fields, threads: ThreadsHere): TemplateResult | typeof nothing {
  const why = whyNoThreads(fields, threads);
  return why === null ? nothing : html`<p id="threads-off" class="hint">${why}</p>`;
}

/** Said and offered, never done unasked. */
function fewWorkersView(
  fields: Fields,
  { onFewWorkers }: FormEvents,
): TemplateResult | typeof nothing {
  const few = fewWorkers(fields);
  if (few === null) return nothing;
  return html`<p id="few-workers" class="suggestion">
    A worker for each of ${count(few.asked)} actors is more than this page takes; ${few.actors} show what one costs.
    <button id="set-few-workers" class="small" type="button" @click=${() => onFewWorkers(few.sizes)}>${few.words}</button>
  </p>`;
}

/** What the sizes come to, and how many samples an empty field means. */
export function workView({ workload, samples }: Params): TemplateResult {
  const unit = unitNameOf(workload);
  const units = plural(unitsOf(workload), unit, unit === 'leaf' ? 'leaves' : `${unit}s`);
  const what =
    workload.name === 'work' ? `${units}, each with ${duration(workload.workNs)} of work` : units;
  const times =
    samples === null
      ? 'Samples: at least 15, more while their interval is wide.'
      : `Samples: ${count(samples)}, besides the cold one and the warm-up.`;
  return html`<p id="work" class="hint">Each sample: ${what}. ${times}</p>`;
}

/** Too many workers are spoken of beside the contenders, where there is a way out. */
export function refusalsOf(params: Params, bytes: BytesPerActor): readonly string[] {
  const { workload, contenders } = params;
  return contenders
    .filter(
      (contender) => contender !== 'workers/postmessage' || !doesWorkload(contender, workload.name),
    )
    .flatMap((contender) => refusalOf(workload, contender, bytes[workload.name][contender]) ?? []);
}

/** The limit of the 2012 post was the number of processes; here it is the memory that a page can have. */
export function largestView(
  { workload, contenders }: Fields,
  bytes: BytesPerActor | null,
): TemplateResult {
  const what = workload === 'skynet' ? 'leaves' : 'actors';
  if (bytes === null)
    return html`<p id="largest" class="hint">The largest number of ${what} that this browser’s memory allows appears once the wasm is loaded.</p>`;
  const chosen = CONTENDERS.filter(
    (contender) => contenders.includes(contender) && doesWorkload(contender, workload),
  );
  if (chosen.length === 0) return html`<p id="largest" class="hint">No contender is chosen.</p>`;
  return html`<p id="largest" class="hint">
    The largest number of ${what} here:
    ${chosen.map((contender, i) => {
      const largest = mostActors(contender, bytes[workload][contender]);
      const isCapped = largest === LIMITS.actors.max;
      return html`${i === 0 ? '' : ', '}${CONTENDER_WORDS[contender].short} <span class="number">${count(largest)}</span>${isCapped ? ' (the most this page takes)' : ''}`;
    })}.
  </p>`;
}

/** Kept in the order of the list, so that the floor stays last. */
function toggled(contenders: readonly string[], name: string, isOn: boolean): readonly string[] {
  const wanted = isOn ? [...contenders, name] : contenders.filter((other) => other !== name);
  return CONTENDERS.filter((known) => wanted.includes(known));
}

export const formStyles = css`
  #contender-notes { font-size: 0.875rem; color: var(--rs-muted); }
  #contender-notes dl { margin: 0.5rem 0 0; display: grid; gap: 0.4rem; }
  #contender-notes dt { float: left; margin-inline-end: 0.5rem; font-weight: 600; color: var(--rs-ink); }
  #contender-notes dd { margin: 0; }
  .suggestion { margin: 0; border-inline-start: 3px solid var(--rs-accent); padding-inline-start: 0.75rem; }
  #size-choices { display: flex; flex-wrap: wrap; gap: 0.4rem; align-items: center; }
  input:disabled { opacity: 0.55; }
  label:has(input:disabled) { color: var(--rs-muted); }
  button.small { font-size: 0.875rem; padding: 0.2rem 0.75rem; background: var(--rs-paper); color: var(--rs-accent); }
  .field { display: flex; flex-direction: column; gap: 0.2rem; margin: 0; }
  .field label, legend { font-size: 0.8125rem; color: var(--rs-muted); padding: 0; }
  .sizes { display: grid; grid-template-columns: repeat(auto-fit, minmax(6rem, 1fr)); gap: 0.75rem; }
  input[type='text'], select {
    font: inherit; font-variant-numeric: tabular-nums; color: var(--rs-ink); background: var(--rs-field);
    border: 1px solid var(--rs-rule); border-radius: 3px; padding: 0.4rem 0.5rem; min-width: 0; width: 100%; box-sizing: border-box;
  }
  input[aria-invalid] { border-color: var(--rs-accent); }
  .choice { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.15rem 1.25rem; }
  .choice legend { float: left; width: 100%; margin-block-end: 0.15rem; }
  .choice label { display: inline-flex; gap: 0.4rem; align-items: center; min-height: 1.75rem; }
  input[type='radio'], input[type='checkbox'] { accent-color: var(--rs-accent); width: 1.05rem; height: 1.05rem; margin: 0; }
`;
