package io.muster.simulator.report;

/** How a simulation prints its figures: for people, or for programs. */
public enum ResultFormat {
  text,
  json
}
