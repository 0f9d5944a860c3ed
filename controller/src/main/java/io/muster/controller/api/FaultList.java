package io.muster.controller.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Gathers what cannot be honoured in one object. Confined to one thread. */
public final class FaultList {

  private final List<Fault> found = new ArrayList<>();

  /** Faults by now, in the order in which they were found. */
  public List<Fault> list() {
    return List.copyOf(found);
  }

  /** The object cannot be served. */
  public void fatal(String field, String text) {
    found.add(new Fault(field, text, Optional.empty()));
  }

  /** It can, with something else there. */
  public void instead(String field, String text, String word) {
    found.add(new Fault(field, text, Optional.of(word)));
  }

  /** It cannot be served unless that holds. */
  public void check(boolean holds, String field, String text) {
    if (!holds) {
      fatal(field, text);
    }
  }

  /** The name of a field by its path. */
  public static String lastPart(String field) {
    return field.substring(field.lastIndexOf('.') + 1);
  }
}
