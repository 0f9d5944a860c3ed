package io.muster.webhook.core.profile;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.gang.Markings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Everything by which pods are changed: whose pods, and the profiles they may get. Immutable but
 * for what it keeps in mind; safe for concurrent use.
 *
 * <ol>
 *   <li>Every pod gets the profile {@code default}.
 *   <li>It gets those that match it and those it names, in the order of the book.
 *   <li>A profile for certain nodes is left out where the pod may run on others.
 * </ol>
 */
public final class Rulebook {

  /** On a pod: names of profiles it wants, separated by commas. */
  public static final String PROFILES = "muster.io/profiles";

  /** Raise when an edit changes what it writes. */
  private static final int EDITS_VERSION = 6;

  /** Kept at once; users may name any set of profiles, but few sets are in use. */
  private static final int MOST_OVERLAYS = 256;

  private static final Pattern UNPRINTABLE = Pattern.compile("[^A-Za-z0-9._-]");

  private final Set<String> schedulers;
  private final List<Profile> profiles;
  private final Set<String> names;
  private final ProfileRules defaults;
  private final Map<List<String>, Overlay> overlays = new ConcurrentHashMap<>();
  private final String hash;

  /**
   * @param schedulers pods of any other scheduler are left alone
   * @param profiles in the order in which they apply; one is called {@code default}
   */
  public Rulebook(Set<String> schedulers, List<Profile> profiles) {
    this.schedulers = Set.copyOf(schedulers);
    this.profiles = List.copyOf(profiles);
    this.names =
        Collections.unmodifiableSet(new TreeSet<>(profiles.stream().map(Profile::name).toList()));
    this.defaults =
        new ProfileRules(
            Overlay.of(profiles.stream().filter(Rulebook::isDefault).toList()), List.of());
    if (defaults.overlay().profiles().size() != 1 || names.size() != profiles.size()) {
      throw new IllegalArgumentException("profiles must have names of their own, one \"default\"");
    }
    this.hash = "%08x".formatted(canonical().hashCode());
  }

  private String canonical() {
    return EDITS_VERSION
        + new TreeSet<>(schedulers).toString()
        + profiles.stream().map(Profile::canonical).toList();
  }

  private static boolean isDefault(Profile profile) {
    return profile.name().equals(Profile.DEFAULT);
  }

  /** Whether pods of this scheduler are Muster's to change. */
  public boolean serves(String scheduler) {
    return schedulers.contains(scheduler);
  }

  /** Names of all profiles. */
  public Set<String> names() {
    return names;
  }

  /** Differs whenever a pod might be changed otherwise. */
  public String hash() {
    return hash;
  }

  /** Names of the profiles, and a hash that differs whenever a pod might be changed otherwise. */
  public String stamp(ProfileRules rules) {
    return rules.overlay().names() + "@" + hash;
  }

  /** What is known of a pod when its profiles are chosen. */
  public record Candidate(Markings markings, Demand demand, boolean hasClaims) {

    /** The pod once the profile has been applied. */
    private Candidate with(Profile profile) {
      var labels = new HashMap<>(profile.pod().labels());
      labels.putAll(markings.labels());
      var selector = new HashMap<>(profile.pod().nodeSelector());
      selector.putAll(demand.nodeSelector());
      return new Candidate(
          new Markings(markings.namespace(), labels, markings.annotations()),
          new Demand(demand.requests(), selector, demand.anyOfTerms(), demand.tolerations()),
          hasClaims);
    }
  }

  /** What the pod gets. */
  public ProfileRules rulesFor(Candidate pod) {
    var asked = pod.markings().annotations().getOrDefault(PROFILES, "");
    if (asked.isEmpty() && !matchesAny(pod)) {
      return defaults;
    }
    var named = named(asked);
    var problems = new ArrayList<String>();
    var chosen = chosen(pod, named);
    var shaped = shaped(pod, chosen);
    for (var name : named) {
      profiles.stream()
          .filter(profile -> profile.name().equals(name))
          .findFirst()
          .ifPresentOrElse(
              profile -> obstacle(profile, shaped).ifPresent(problems::add),
              () -> problems.add(unknown(name)));
    }
    return new ProfileRules(overlay(chosen), problems);
  }

  private Overlay overlay(List<Profile> chosen) {
    if (overlays.size() >= MOST_OVERLAYS) {
      overlays.clear();
    }
    return overlays.computeIfAbsent(
        chosen.stream().map(Profile::name).toList(), _ -> Overlay.of(chosen));
  }

  private boolean matchesAny(Candidate pod) {
    return profiles.stream().anyMatch(profile -> matches(profile, pod));
  }

  /** What one profile adds may make another one match: chosen again until nothing changes. */
  private List<Profile> chosen(Candidate pod, List<String> named) {
    var chosen = List.<Profile>of();
    while (true) {
      var shaped = shaped(pod, chosen);
      var before = chosen;
      chosen =
          profiles.stream()
              .filter(profile ->
                  isDefault(profile)
                      || before.contains(profile)
                      || matches(profile, shaped)
                      || (named.contains(profile.name()) && obstacle(profile, shaped).isEmpty()))
              .toList();
      if (chosen.size() == before.size()) {
        return chosen;
      }
    }
  }

  /** The user's own labels stay, and later profiles win, as when the pod is changed. */
  private static Candidate shaped(Candidate pod, List<Profile> chosen) {
    var shaped = pod;
    for (var profile : chosen.reversed()) {
      shaped = shaped.with(profile);
    }
    return shaped;
  }

  private String unknown(String name) {
    return "%s: there is no profile \"%s\"; there are %s"
        .formatted(PROFILES, UNPRINTABLE.matcher(name).replaceAll("?"), String.join(", ", names));
  }

  private static List<String> named(String asked) {
    return Arrays.stream(asked.split(","))
        .map(String::strip)
        .filter(name -> !name.isEmpty() && name.length() <= 63)
        .limit(16)
        .distinct()
        .toList();
  }

  /** Why the profile is not for this pod, although the pod names it. */
  private static Optional<String> obstacle(Profile profile, Candidate pod) {
    var match = profile.match();
    if (match.filter(m -> !isConfined(pod.demand(), m.nodeSelector())).isPresent()) {
      return Optional.of(
          "profile \"%s\" is for nodes with %s only: add them to spec.nodeSelector"
              .formatted(profile.name(), new TreeMap<>(match.get().nodeSelector())));
    }
    return match.isPresent() && match.get().resourceClaims() && !pod.hasClaims()
        ? Optional.of(
            "profile \"%s\" is for pods with resource claims only: add spec.resourceClaims"
                .formatted(profile.name()))
        : Optional.empty();
  }

  private static boolean matches(Profile profile, Candidate pod) {
    if (profile.match().isEmpty()) {
      return false;
    }
    var match = profile.match().get();
    var markings = pod.markings();
    // A profile for pods with claims alone is no reason to give it to all of them.
    return !(match.podLabels().isEmpty()
            && match.namespaces().isEmpty()
            && match.nodeSelector().isEmpty())
        && markings.labels().entrySet().containsAll(match.podLabels().entrySet())
        && (match.namespaces().isEmpty() || match.namespaces().contains(markings.namespace()))
        && obstacle(profile, pod).isEmpty();
  }

  /** Whether the pod can run only on nodes with all these labels. */
  private static boolean isConfined(Demand demand, Map<String, String> labels) {
    return labels.entrySet().stream()
        .allMatch(label ->
            label.getValue().equals(demand.nodeSelector().get(label.getKey()))
                || (!demand.anyOfTerms().isEmpty()
                    && demand.anyOfTerms().stream()
                        .allMatch(term -> demands(term, label.getKey(), label.getValue()))));
  }

  private static boolean demands(NodeTerm term, String key, String value) {
    return term.labels().stream()
        .anyMatch(requirement ->
            requirement.key().equals(key)
                && requirement.operator() == NodeTerm.Operator.IN
                && requirement.values().equals(Set.of(value)));
  }
}
