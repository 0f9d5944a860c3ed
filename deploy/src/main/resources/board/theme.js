// @ts-check
/** Light or dark: as the system has it, or as the reader has chosen. */

const KEY = 'theme';
const system = matchMedia('(prefers-color-scheme: dark)');
/** @type {Set<() => void>} */
const watchers = new Set();
/** What was chosen where there is no storage. */
let unstored = 'auto';

/** @returns {string} auto, light or dark */
export function chosenTheme() {
  try {
    return localStorage.getItem(KEY) || 'auto';
  } catch {
    return unstored;
  }
}

/** @returns {'light' | 'dark'} */
export function theme() {
  const chosen = chosenTheme();
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return system.matches ? 'dark' : 'light';
}

/** @param {string} chosen */
export function chooseTheme(chosen) {
  try {
    if (chosen === 'auto') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, chosen);
  } catch {
    // Without storage the choice holds for this page.
    unstored = chosen;
  }
  show();
}

/** @param {() => void} watcher */
export function watchTheme(watcher) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

function show() {
  document.documentElement.dataset.theme = theme();
  for (const watcher of [...watchers]) watcher();
}

system.addEventListener('change', show);
show();
