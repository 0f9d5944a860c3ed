package io.muster.webhook.core;

import io.muster.webhook.core.Injectable.Sort;
import io.muster.webhook.core.patch.EnvVar;
import io.muster.webhook.core.patch.Value;
import io.muster.webhook.core.profile.Profile;
import io.muster.webhook.core.rendezvous.GangService;
import io.muster.webhook.core.rendezvous.Meeting;
import io.muster.webhook.core.rendezvous.Rendezvous;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Puts the variables of a gang into the containers of a member. A user's value stays and is warned
 * about; one of Muster's own, in a pod that was here before or in a copied manifest, is written
 * anew. Which is which is kept in an annotation, where users have set any.
 */
final class GangEnv {

  private static final String PROCESSES = "PET_NPROC_PER_NODE";

  private final Draft draft;
  private final Set<String> known;
  private final Set<String> kept = new TreeSet<>();

  private GangEnv(Draft draft) {
    this.draft = draft;
    this.known = new TreeSet<>(Arrays.asList(draft.annotation(InjectionKeys.USER_ENV).split(",")));
  }

  /** What a member gets. */
  static void inject(Draft draft, Meeting meeting) {
    var env = new GangEnv(draft);
    meeting.domain().ifPresentOrElse(env::name, env::unname);
    for (var container : draft.containers()) {
      if (container.sort() != Sort.FOREIGN) {
        env.inject(container, meeting);
      }
    }
    env.remember();
  }

  /**
   * What a pod gets that is no member, or wants nothing: its user's variables are known as such.
   */
  static void keep(Draft draft) {
    inject(draft, Meeting.NONE);
  }

  private void name(Meeting.OwnDomain domain) {
    var spec = draft.facts().spec();
    draft.edits.by(Rule.HOST_NAME).label(GangService.LABEL, domain.service());
    if (spec.text("hostname").isEmpty()) {
      draft.edits.set("hostname", new Value.Text(domain.hostname()));
    }
    if (!spec.text("subdomain").equals(domain.service())) {
      draft.edits.set("subdomain", new Value.Text(domain.service()));
    }
    // Without a subdomain it had no effect; with one the kubelet refuses names of over 64 letters.
    if (spec.text("setHostnameAsFQDN").equals("true")) {
      draft.edits.set("setHostnameAsFQDN", new Value.Flag(false));
    }
  }

  /**
   * A copy must not answer to a name of the gang that it was copied from. The label is Muster's,
   * stamp or none: another call decides alike.
   */
  private void unname() {
    var service = draft.facts().markings().labels().get(GangService.LABEL);
    if (service != null) {
      draft.edits.by(Rule.HOST_NAME).removeLabel(GangService.LABEL);
      if (draft.facts().spec().text("subdomain").equals(service)) {
        draft.edits.unset("subdomain");
      }
    }
  }

  private void inject(Injectable container, Meeting meeting) {
    meeting.always().forEach(variable -> ensure(container, variable));
    for (var name : Rendezvous.RESERVED) {
      if (meeting.always().stream().noneMatch(variable -> variable.name().equals(name))) {
        dropOrKeep(container, name);
      }
    }
    var skipped = new ArrayList<String>();
    for (var variable : byProfile(container, meeting)) {
      if (container.facts().hasEnvFrom() && container.facts().env(variable.name()).isEmpty()) {
        skipped.add(variable.name());
      } else {
        ensure(container, variable);
      }
    }
    draft.warnOfEnvFrom(container, skipped);
  }

  private List<EnvVar> byProfile(Injectable container, Meeting meeting) {
    if (!meeting.countsDevices()) {
      return meeting.byProfile();
    }
    if (container.devices() == 0) {
      warnOfClaim(container);
      return meeting.byProfile();
    }
    var env = new ArrayList<>(meeting.byProfile());
    env.add(1, EnvVar.of(PROCESSES, Long.toString(container.devices())));
    return env;
  }

  /** How many devices a claim brings stands in an object that is not read here. */
  private void warnOfClaim(Injectable container) {
    if (container.sort() == Sort.DEVICE && container.facts().env(PROCESSES).isEmpty()) {
      draft.warn(
          "container \"%s\" has its devices by a claim, which does not say here how many: set %s"
                  .formatted(container.facts().name(), PROCESSES)
              + " to the number of processes, or one starts");
    }
  }

  private void ensure(Injectable container, EnvVar variable) {
    var there = container.facts().env(variable.name());
    var env = draft.env(container);
    if (there.isEmpty()) {
      env.add(variable, Rule.RENDEZVOUS, Profile.DEFAULT);
    } else if (!there.get().equals(variable.source()) && !isEverybodys(variable.name())) {
      if (isOurs(container, variable.name())) {
        env.replace(variable, Rule.RENDEZVOUS, Profile.DEFAULT);
      } else {
        keep(container, variable.name());
        draft.warn(
            "container \"%s\" sets %s itself; Muster's value is not used"
                .formatted(container.facts().name(), variable.name()));
      }
    }
  }

  /** A reserved name that has no value now: one of another pod must not stay in a copy. */
  private void dropOrKeep(Injectable container, String name) {
    if (container.facts().env(name).isEmpty()) {
      return;
    }
    if (isOurs(container, name)) {
      draft.env(container).remove(name, Rule.RENDEZVOUS, Profile.DEFAULT);
    } else {
      keep(container, name);
    }
  }

  /** Everybody calls these so, and means the same by it. */
  private static boolean isEverybodys(String name) {
    return name.equals("POD_NAME") || name.equals("POD_IP");
  }

  private boolean isOurs(Injectable container, String name) {
    return draft.isStamped() && !known.contains(key(container, name));
  }

  private void keep(Injectable container, String name) {
    kept.add(key(container, name));
  }

  private static String key(Injectable container, String name) {
    return container.facts().name() + "/" + name;
  }

  private void remember() {
    draft.edits.by(Rule.USER_ENV);
    if (kept.isEmpty()) {
      draft.edits.removeAnnotation(InjectionKeys.USER_ENV);
    } else {
      draft.edits.annotate(InjectionKeys.USER_ENV, String.join(",", kept));
    }
  }
}
