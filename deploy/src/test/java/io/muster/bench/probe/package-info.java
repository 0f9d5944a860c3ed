/** The least extender: what placing gangs by extender costs before any care is taken. */
package io.muster.bench.probe;
