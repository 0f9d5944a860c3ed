package io.muster.webhook.core.rendezvous;

import io.muster.webhook.core.patch.EnvVar;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How a member meets the others. Immutable.
 *
 * @param always variables that every container gets
 * @param byProfile variables that launchers read, by names that others use too
 * @param countsDevices whether the number of a container's devices belongs to the latter
 * @param domain the Service that Muster makes for the gang, where the member needs a host name
 * @param warnings what is missing and how to mend it
 */
public record Meeting(
    List<EnvVar> always,
    List<EnvVar> byProfile,
    boolean countsDevices,
    Optional<OwnDomain> domain,
    List<String> warnings) {
  public Meeting {
    always = List.copyOf(always);
    byProfile = List.copyOf(byProfile);
    warnings = List.copyOf(warnings);
  }

  /** No member, no meeting. */
  public static final Meeting NONE =
      new Meeting(List.of(), List.of(), false, Optional.empty(), List.of());

  /** The same, at which members are told this too. */
  public Meeting telling(List<EnvVar> more) {
    var all = new ArrayList<>(always);
    all.addAll(more);
    return new Meeting(all, byProfile, countsDevices, domain, warnings);
  }

  /**
   * The names by which the members look each other up.
   *
   * @param service to be written as the pod's subdomain
   * @param hostname to be written as the pod's host name, where it has none
   */
  public record OwnDomain(String service, String hostname) {}
}
