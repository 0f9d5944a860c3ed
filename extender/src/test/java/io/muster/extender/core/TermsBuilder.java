package io.muster.extender.core;

import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.Topology;
import java.time.Duration;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Builds the terms of gangs in namespace {@code ml}. */
public final class TermsBuilder {

  private final int min;
  private final TreeSet<String> groups = new TreeSet<>();
  private final SortedMap<String, Integer> roles = new TreeMap<>();
  private Terms.OnLoss onLoss = Terms.OnLoss.REPLACE;
  private Terms.MatchPolicy policy = Terms.MatchPolicy.ONCE_SATISFIED;
  private Topology topology = Topology.ANYWHERE;

  private TermsBuilder(String gang, int min) {
    this.min = min;
    groups.add("ml/" + gang);
  }

  public static TermsBuilder terms(String gang, int min) {
    return new TermsBuilder(gang, min);
  }

  public TermsBuilder with(String... gangs) {
    Set.of(gangs).forEach(gang -> groups.add("ml/" + gang));
    return this;
  }

  public TermsBuilder role(String role, int fewest) {
    roles.put(role, fewest);
    return this;
  }

  public TermsBuilder onLoss(Terms.OnLoss value) {
    onLoss = value;
    return this;
  }

  public TermsBuilder counting(Terms.MatchPolicy value) {
    policy = value;
    return this;
  }

  public TermsBuilder topology(Topology value) {
    topology = value;
    return this;
  }

  public Terms.Usable build() {
    return new Terms.Usable(
        min,
        min,
        Terms.Mode.STRICT,
        policy,
        Duration.ofMinutes(10),
        groups,
        roles,
        onLoss,
        topology);
  }
}
