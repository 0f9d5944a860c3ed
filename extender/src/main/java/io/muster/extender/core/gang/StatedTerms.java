package io.muster.extender.core.gang;

/** The terms of a gang as a pod states them, before anything is checked. Immutable. */
record StatedTerms(
    Stated min, Stated total, Stated timeout, Stated mode, Stated matchPolicy, Stated groups) {}
