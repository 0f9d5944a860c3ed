package io.muster.webhook.injection;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.fabric8.zjsonpatch.JsonPatch;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.webhook.core.Admission;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.core.profile.Rulebook;
import io.muster.webhook.core.rendezvous.KnownKinds;
import io.muster.webhook.json.InvalidProfilesException;
import io.muster.webhook.json.MalformedPodException;
import io.muster.webhook.json.PatchJson;
import io.muster.webhook.json.PodReading;
import io.muster.webhook.json.ProfilesReading;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One pod of {@code src/test/resources/injection}, and what becomes of it. */
record Fixture(Path folder) {

  static final Path FOLDER = Path.of("src", "test", "resources", "injection");

  private static final PodReading READING =
      new PodReading(
          new PodConverter(new DialectDetector()),
          InstantSource.fixed(Instant.parse("2026-02-03T04:05:06Z")));
  private static final Map<String, Map<String, String>> NAMESPACES =
      Map.of(
          "guarded", Map.of("pod-security.kubernetes.io/enforce", "baseline"),
          "locked", Map.of("pod-security.kubernetes.io/enforce", "restricted"),
          "mesh", Map.of("istio-injection", "enabled"));
  private static final Rulebook RULES = rules();

  static List<Fixture> all() {
    try (var folders = Files.list(FOLDER)) {
      return folders.filter(Files::isDirectory).sorted().map(Fixture::new).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Rulebook rules() {
    try {
      return new ProfilesReading(Set.of("default-scheduler", "muster-scheduler"))
          .read(Files.readString(FOLDER.resolve("profiles.yaml")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InvalidProfilesException e) {
      throw new AssertionError(e);
    }
  }

  static PodAdmission admission() {
    return new PodAdmission(
        new PodAdmission.Sources(
            () -> RULES,
            KnownKinds.ALL,
            namespace -> NAMESPACES.getOrDefault(namespace, Map.of())));
  }

  String name() {
    return folder.getFileName().toString();
  }

  Path file(String name) {
    return folder.resolve(name);
  }

  JsonNode pod() {
    try {
      return Serialization.unmarshal("---\n" + Files.readString(file("pod.yaml")), JsonNode.class);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Admission admit(JsonNode pod) {
    try {
      return admission().admit(READING.facts(READING.sent(pod, "ml")));
    } catch (MalformedPodException e) {
      throw new AssertionError(e);
    }
  }

  /** The pod as it would be stored. */
  static JsonNode patched(JsonNode pod, Admission.Allowed allowed) {
    return JsonPatch.apply(PatchJson.of(allowed.patch()), pod);
  }

  @Override
  public String toString() {
    return name();
  }
}
