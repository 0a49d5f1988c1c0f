/** The choices: workload, sizes, contenders. Shows fields and says what was typed or chosen. */

import { css, html, nothing, type TemplateResult } from 'lit';
import { CONTENDER_NOTES } from './contender-notes';
import { type Fields, fewWorkers } from './fields';
import {
  CONTENDERS,
  LIMITS,
  memoryRefusal,
  mostActors,
  type Params,
  PRESETS,
  type PresetName,
  unitsOf,
  type WorkloadName,
} from './params';
import type { BytesPerActor } from './protocol';
import { CONTENDER_WORDS, count, plural } from './words';

export interface FormEvents {
  readonly onField: (change: Partial<Fields>) => void;
  readonly onPreset: (name: string) => void;
  readonly onFewWorkers: (change: Partial<Fields>) => void;
}

const PRESET_WORDS: Readonly<Record<PresetName, string>> = {
  'erlang-2007': '2007, Erlang’s ring: 30,000 actors, 1,000 laps',
  'armstrong-spawn': '2012, Armstrong’s challenge: spawn 100,000 actors',
  'threads-2006': '2006, POSIX threads: 500 actors, 3,000 laps, 13 samples',
  'kilim-2009': '2009, Kilim’s ring: 100 actors, 1,000,000 laps',
  tokens: 'many tokens: 10,000 actors, 20 laps, 64 tokens',
};

export function formView(fields: Fields, bad: string | null, events: FormEvents): TemplateResult {
  const isRing = fields.workload !== 'spawn';
  const number = (
    id: string,
    name: string,
    label: string,
    value: string,
    change: (value: string) => Partial<Fields>,
    hint = '',
  ): TemplateResult => html`<p class="field">
    <label for=${id}>${label}</label>
    <input
      id=${id}
      name=${name}
      type="text"
      inputmode="numeric"
      autocomplete="off"
      spellcheck="false"
      .value=${value}
      placeholder=${hint || nothing}
      aria-invalid=${bad === name ? 'true' : nothing}
      aria-describedby=${bad === name ? 'error' : nothing}
      @input=${(event: Event) => events.onField({ ...change((event.target as HTMLInputElement).value), preset: name === 'samples' ? fields.preset : '' })}
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
      ${(
        [
          ['ring', 'ring: a token goes round'],
          ['spawn', 'spawn: start actors, stop them'],
        ] as const
      ).map(
        ([name, words]) => html`<label
          ><input type="radio" name="workload" id=${`workload-${name}`} value=${name} .checked=${(fields.workload === 'spawn') === (name === 'spawn')} @change=${() => events.onField({ workload: name, preset: '' })} />
          ${words}</label
        >`,
      )}
    </fieldset>
    <div class="sizes">
      ${
        isRing
          ? html`${number('actors', 'actors', 'Actors', fields.ringActors, (ringActors) => ({ ringActors }))}
          ${number('laps', 'laps', 'Laps', fields.laps, (laps) => ({ laps }))}
          ${number('tokens', 'tokens', 'Tokens', fields.tokens, (tokens) => ({ tokens }))}`
          : number('actors', 'actors', 'Actors', fields.spawnActors, (spawnActors) => ({
              spawnActors,
            }))
      }
      ${number('samples', 'samples', 'Samples', fields.samples, (samples) => ({ samples }), 'enough')}
    </div>
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
            @change=${(event: Event) => events.onField({ contenders: toggled(fields.contenders, name, (event.target as HTMLInputElement).checked) })}
          />
          ${CONTENDER_WORDS[name].short}</label
        >`,
      )}
    </fieldset>
    ${fewWorkersView(fields, events)}
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

/** Said and offered, never done unasked. */
function fewWorkersView(
  fields: Fields,
  { onFewWorkers }: FormEvents,
): TemplateResult | typeof nothing {
  const few = fewWorkers(fields);
  if (few === null) return nothing;
  return html`<p id="few-workers" class="suggestion">
    A worker for each of ${count(few.asked)} actors is more than this page takes; ${few.actors} show what one costs.
    <button id="set-few-workers" class="small" type="button" @click=${() => onFewWorkers(few.change)}>${few.words}</button>
  </p>`;
}

/** What the sizes come to, and how many samples an empty field means. */
export function workView({ workload, samples }: Params): TemplateResult {
  const what =
    workload.name === 'ring'
      ? plural(unitsOf(workload), 'hop')
      : plural(unitsOf(workload), 'actor');
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
    .filter((contender) => contender !== 'workers/postmessage')
    .flatMap(
      (contender) => memoryRefusal(workload, contender, bytes[workload.name][contender]) ?? [],
    );
}

/** The limit of the 2012 post was the number of processes; here it is the memory that a page can have. */
export function largestView(
  { workload: name, contenders }: Fields,
  bytes: BytesPerActor | null,
): TemplateResult {
  if (bytes === null)
    return html`<p id="largest" class="hint">The largest number of actors that this browser’s memory allows appears once the wasm is loaded.</p>`;
  const workload: WorkloadName = name === 'spawn' ? 'spawn' : 'ring';
  const chosen = CONTENDERS.filter((contender) => contenders.includes(contender));
  if (chosen.length === 0) return html`<p id="largest" class="hint">No contender is chosen.</p>`;
  return html`<p id="largest" class="hint">
    The largest number of actors here:
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
  button.small { font-size: 0.875rem; padding: 0.2rem 0.75rem; background: var(--rs-paper); color: var(--rs-accent); }
  .field { display: flex; flex-direction: column; gap: 0.2rem; margin: 0; }
  .field label, legend { font-size: 0.8125rem; color: var(--rs-muted); padding: 0; }
  .sizes { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.5rem, 1fr)); gap: 0.75rem; }
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
