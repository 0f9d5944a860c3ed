package io.muster.extender.core.gang;

import java.util.List;

/**
 * That a pod belongs to a gang, and what it says about it.
 *
 * @param index position among the members if the pod states one, else -1
 * @param warnings sentences about values that were ignored or replaced by a default
 */
public record Membership(GangId gang, Terms terms, int index, List<String> warnings) {
  public Membership {
    warnings = List.copyOf(warnings);
  }
}
