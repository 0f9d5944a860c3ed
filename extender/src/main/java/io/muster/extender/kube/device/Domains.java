package io.muster.extender.kube.device;

import java.util.AbstractMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** What is known by domain; of a domain that has nothing, an empty map. Immutable. */
final class Domains extends AbstractMap<String, Object> {

  private final Map<String, Object> known;

  Domains(Map<String, Map<String, Object>> known) {
    this.known = new HashMap<>(known);
  }

  @Override
  public Object get(Object domain) {
    return known.getOrDefault(domain, Map.of());
  }

  /** As {@link #get} answers: an index into the map looks here first. */
  @Override
  public boolean containsKey(Object domain) {
    return true;
  }

  @Override
  public Set<Entry<String, Object>> entrySet() {
    return known.entrySet();
  }
}
