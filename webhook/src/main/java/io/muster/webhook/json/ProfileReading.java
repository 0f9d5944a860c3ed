package io.muster.webhook.json;

import io.muster.extender.core.cluster.Accelerators;
import io.muster.webhook.core.facts.Amount;
import io.muster.webhook.core.patch.EnvVar;
import io.muster.webhook.core.patch.Value;
import io.muster.webhook.core.profile.Profile;
import io.muster.webhook.core.profile.Profile.ForContainers;
import io.muster.webhook.core.profile.Profile.ForPod;
import io.muster.webhook.core.profile.Profile.Match;
import io.muster.webhook.core.rendezvous.Rendezvous;
import io.muster.webhook.json.Part.Form;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Reads one profile and says what is wrong with it. Stateless. */
final class ProfileReading {

  static final Form NAME =
      Form.matching("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", "a word of a-z, 0-9 and -");

  private static final Form ANY = new Form(_ -> true, "text");
  private static final Form KEY =
      new Form(
          text ->
              text.matches("([a-z0-9.-]{1,253}/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
                  && !text.startsWith("muster.io/"),
          "a key as labels have, and not one of muster.io");
  private static final Form LABEL =
      Form.matching("([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?", "a label's value");
  private static final Form CAPABILITY =
      new Form(
          text -> text.matches("[A-Z][A-Z_]{1,40}") && !text.equals("ALL"),
          "one capability, like IPC_LOCK");
  private static final Form VARIABLE =
      new Form(
          text ->
              text.matches("[A-Za-z_][A-Za-z0-9_]{0,127}")
                  && !Rendezvous.RESERVED.contains(text)
                  && !text.equals("CUDA_VISIBLE_DEVICES")
                  && !text.equals("NVIDIA_VISIBLE_DEVICES"),
          "a variable's name, and none of those by which gangs meet or devices are handed out");
  private static final Form EXTENDED =
      new Form(
          text -> text.matches("[a-z0-9.-]+/[A-Za-z0-9._-]+") && !Accelerators.isManaged(text),
          "the name of an extended resource, and no accelerator");
  private static final Form COUNT = Form.matching("[1-9][0-9]{0,5}", "a whole number above 0");
  private static final Form PER_DEVICE = Form.matching("cpu|memory", "cpu or memory");
  private static final BigDecimal MOST = BigDecimal.valueOf(1L << 42);
  private static final Form QUANTITY =
      new Form(
          text ->
              Amount.of(text)
                  .filter(amount -> amount.signum() > 0 && amount.compareTo(MOST) <= 0)
                  .isPresent(),
          "a quantity above 0 and up to 4Ti, like 64Gi");
  private static final Form PATH = Form.matching("/[^:]{1,512}", "an absolute path");

  private static final Set<String> KEYS =
      Set.of(
          "name",
          "match",
          "optional",
          "annotations",
          "labels",
          "nodeSelector",
          "volumes",
          "tolerations",
          "hideDevices",
          "terminationGracePeriodSeconds",
          "priorityClassName",
          "runtimeClassName",
          "shmMaximum",
          "foreignContainers",
          "env",
          "mounts",
          "resources",
          "requestsPerDevice",
          "capabilities");

  private ProfileReading() {}

  static Profile of(Part part) {
    part.isObjectOf(KEYS);
    var name = part.text("name", NAME).orElse("");
    var match = match(part, name);
    var volumes = volumes(part);
    return new Profile(
        name,
        match,
        part.flag("optional").orElse(false),
        new ForPod(
            part.map("annotations", KEY, ANY),
            part.map("labels", KEY, LABEL),
            part.map("nodeSelector", KEY, LABEL),
            volumes,
            part.flag("tolerations"),
            part.flag("hideDevices"),
            optional(part.whole("terminationGracePeriodSeconds", 1, 3600)),
            part.text("priorityClassName", NAME),
            part.text("runtimeClassName", NAME),
            optional(bytes(part, "shmMaximum")),
            part.texts("foreignContainers", NAME)),
        new ForContainers(
            env(part),
            mounts(part, volumes.keySet()),
            part.quantities("resources", EXTENDED, COUNT),
            part.quantities("requestsPerDevice", PER_DEVICE, QUANTITY),
            part.texts("capabilities", CAPABILITY)));
  }

  private static Optional<Match> match(Part part, String name) {
    if (!part.has("match")) {
      return Optional.empty();
    }
    var match = part.at("match");
    if (name.equals(Profile.DEFAULT)) {
      match.problem("must be left out: every pod gets this profile");
    }
    if (!match.isObjectOf(Set.of("podLabels", "namespaces", "nodeSelector", "resourceClaims"))) {
      return Optional.empty();
    }
    var stated =
        new Match(
            match.map("podLabels", KEY, LABEL),
            match.texts("namespaces", NAME),
            match.map("nodeSelector", KEY, LABEL),
            match.flag("resourceClaims").orElse(false));
    if (match.node().isEmpty()) {
      match.problem(
          "must state podLabels, namespaces, nodeSelector or resourceClaims; what every pod is to"
              + " get goes into the profile default");
    }
    return Optional.of(stated);
  }

  private static List<EnvVar> env(Part part) {
    var env = new ArrayList<EnvVar>();
    var names = new HashSet<String>();
    for (var item : part.items("env")) {
      if (!item.isObjectOf(Set.of("name", "value", "valueFrom"))) {
        continue;
      }
      if (!item.has("name") || item.has("value") == item.has("valueFrom")) {
        item.problem("must have a name, and either value or valueFrom");
        continue;
      }
      var name = item.text("name", VARIABLE).orElse("");
      if (!names.add(name)) {
        item.problem("sets %s a second time".formatted(name));
      }
      if (item.has("value")) {
        item.text("value", ANY).ifPresent(value -> env.add(EnvVar.of(name, value)));
      } else if (item.at("valueFrom").node().isObject()) {
        env.add(new EnvVar(name, new EnvVar.Other(item.at("valueFrom").value())));
      } else {
        item.at("valueFrom").problem("must be a map");
      }
    }
    return env;
  }

  private static Map<String, Value> volumes(Part part) {
    var volumes = new HashMap<String, Value>();
    for (var item : part.items("volumes")) {
      if (!item.node().isObject() || item.node().size() != 2) {
        item.problem("must have a name and one source, as core/v1 writes a volume");
        continue;
      }
      item.text("name", NAME)
          .ifPresent(name -> {
            if (volumes.put(name, item.value()) != null) {
              item.problem("has the name \"%s\" of another volume".formatted(name));
            }
          });
    }
    return volumes;
  }

  private static Map<String, Value> mounts(Part part, Set<String> volumes) {
    var mounts = new HashMap<String, Value>();
    for (var item : part.items("mounts")) {
      if (!item.isObjectOf(
          Set.of("name", "mountPath", "readOnly", "subPath", "mountPropagation"))) {
        continue;
      }
      if (!volumes.contains(item.node().path("name").asText())) {
        item.at("name").problem("must be the name of a volume of this profile");
      }
      if (!item.has("mountPath")) {
        item.problem("must have a mountPath");
      }
      item.text("mountPath", PATH)
          .ifPresent(path -> mounts.put(MountPath.normalised(path), item.value()));
    }
    return mounts;
  }

  private static Optional<Long> bytes(Part part, String key) {
    return part.has(key)
        ? part.at(key).quantity(QUANTITY).flatMap(Amount::of).map(BigDecimal::longValue)
        : Optional.empty();
  }

  private static OptionalLong optional(Optional<Long> number) {
    return number.map(OptionalLong::of).orElseGet(OptionalLong::empty);
  }
}
