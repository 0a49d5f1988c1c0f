/** The element's own style sheet; colours and faces come from the page's variables, with values of their own. */

import { css } from 'lit';
import { formStyles } from './form-view';
import { progressStyles } from './progress-view';
import { resultStyles } from './result-view';
import { rulerStyles } from './ruler-view';

export const styles = [
  css`
    :host {
      --rs-ink: var(--ink, #1d1b18);
      --rs-muted: var(--muted, #625c53);
      --rs-rule: var(--rule, #d9d4ca);
      --rs-paper: var(--paper, #ffffff);
      --rs-field: var(--field, #ffffff);
      --rs-strip: var(--strip, #f4f1eb);
      --rs-accent: var(--accent, #b3321f);
      --rs-sans: var(--sans, system-ui, sans-serif);
      --rs-serif: var(--serif, Georgia, serif);
      color-scheme: light dark;
      display: block;
      color: var(--rs-ink);
      font-family: var(--rs-sans);
      line-height: 1.5;
    }
    @media (prefers-color-scheme: dark) {
      :host {
        --rs-ink: var(--ink, #ece7dc);
        --rs-muted: var(--muted, #a8a195);
        --rs-rule: var(--rule, #45403a);
        --rs-paper: var(--paper, #191714);
        --rs-field: var(--field, #22201c);
        --rs-strip: var(--strip, #2a2723);
        --rs-accent: var(--accent, #ff8a6b);
      }
    }
    [hidden] { display: none !important; }
    .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; margin: 0; padding: 0; }
    form { display: grid; gap: 0.9rem; max-width: 42rem; }
    p { margin: 0 0 0.75rem; }
    .hint { margin: 0; font-size: 0.8125rem; color: var(--rs-muted); }
    a { color: inherit; text-decoration-color: var(--rs-accent); text-underline-offset: 0.15em; }
    .number { white-space: nowrap; font-variant-numeric: tabular-nums; }
    .buttons { margin: 0.25rem 0 0; display: flex; gap: 0.75rem; }
    button { font: inherit; font-size: 1.125rem; font-weight: 600; padding: 0.55rem 2.25rem; border: 1px solid var(--rs-accent); border-radius: 4px; cursor: pointer; }
    #run { background: var(--rs-accent); color: var(--rs-paper); }
    #stop { background: var(--rs-paper); color: var(--rs-accent); }
    button:disabled { opacity: 0.45; cursor: default; }
    :is(a, button, input, select, summary):focus-visible { outline: 3px solid var(--rs-accent); outline-offset: 2px; }
    #error { margin: 1rem 0 0; border-inline-start: 3px solid var(--rs-accent); padding-inline-start: 0.75rem; overflow-wrap: anywhere; }
    #ruler { margin-block: 2rem 1.5rem; }
    #result + *, table + *, * + table, * + details { margin-block-start: 1.25rem; }
    @media print { form, .progress { display: none; } }
  `,
  formStyles,
  progressStyles,
  rulerStyles,
  resultStyles,
];
