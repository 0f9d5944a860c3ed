package io.muster.webhook.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.extender.yaml.MalformedYamlException;
import io.muster.extender.yaml.YamlReading;
import io.muster.webhook.core.profile.Profile;
import io.muster.webhook.core.profile.Rulebook;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads profiles as platform teams write them, over those that come with Muster: a key that is
 * written replaces that of the built-in profile of the name. Safe for concurrent use.
 */
public final class ProfilesReading {

  private static final String BUILT_IN = "profiles.yaml";
  private static final int MOST_PROFILES = 64;
  private static final int MOST_CHARACTERS = 1024 * 1024;
  private static final YamlReading YAML = YamlReading.ofUniqueKeys();

  private final Set<String> schedulers;
  private final Map<String, ObjectNode> builtIn;

  /**
   * @param schedulers pods of any other scheduler are left alone
   */
  public ProfilesReading(Set<String> schedulers) {
    this.schedulers = Set.copyOf(schedulers);
    this.builtIn = builtIn();
  }

  /** The text of the profiles that come with Muster. */
  public static String builtInText() {
    try (var text = ProfilesReading.class.getResourceAsStream(BUILT_IN)) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(BUILT_IN + " is part of the program", e);
    }
  }

  private static Map<String, ObjectNode> builtIn() {
    try {
      var byName = new LinkedHashMap<String, ObjectNode>();
      YAML.first(builtInText())
          .path("profiles")
          .forEach(profile -> byName.put(profile.path("name").asText(), (ObjectNode) profile));
      return byName;
    } catch (MalformedYamlException e) {
      throw new IllegalStateException(BUILT_IN + " is no YAML", e);
    }
  }

  /** The rules where no team has written any. */
  public Rulebook defaults() {
    try {
      return read("profiles: []");
    } catch (InvalidProfilesException e) {
      throw new IllegalStateException(BUILT_IN + " is wrong", e);
    }
  }

  /**
   * The rules of this document.
   *
   * @throws InvalidProfilesException with every problem found
   */
  public Rulebook read(String yaml) throws InvalidProfilesException {
    var problems = new ArrayList<String>();
    var merged = new LinkedHashMap<String, ObjectNode>(builtIn);
    var document = new Part(tree(yaml), "", problems);
    if (!document.node().isNull() && !document.node().isMissingNode()) {
      document(document, merged);
    }
    var profiles = new ArrayList<Profile>();
    merged.forEach((name, node) ->
        profiles.add(ProfileReading.of(new Part(node, "profile " + name + ":", problems))));
    if (!problems.isEmpty()) {
      throw new InvalidProfilesException(problems.stream().map(String::strip).distinct().toList());
    }
    return new Rulebook(schedulers, profiles);
  }

  private static void document(Part document, Map<String, ObjectNode> merged) {
    if (!document.isObjectOf(Set.of("profiles"))) {
      return;
    }
    var written = document.items("profiles");
    if (written.size() > MOST_PROFILES) {
      document.problem("has more than %d profiles".formatted(MOST_PROFILES));
      return;
    }
    var names = new HashSet<String>();
    for (var part : written) {
      if (!part.node().isObject() || !part.has("name")) {
        part.problem("must be a map with a name");
        continue;
      }
      var name = part.text("name", ProfileReading.NAME);
      if (name.isEmpty()) {
        continue;
      }
      if (!names.add(name.get())) {
        part.problem("has the name \"%s\" of another profile".formatted(name.get()));
      }
      merged.merge(name.get(), (ObjectNode) part.node(), ProfilesReading::over);
    }
  }

  private static ObjectNode over(ObjectNode builtIn, ObjectNode written) {
    return builtIn.deepCopy().setAll(written);
  }

  private static JsonNode tree(String yaml) throws InvalidProfilesException {
    if (yaml.length() > MOST_CHARACTERS) {
      throw new InvalidProfilesException(List.of("the document is longer than 1 MiB"));
    }
    try {
      return YAML.first(yaml);
    } catch (MalformedYamlException e) {
      throw new InvalidProfilesException(List.of(e.getMessage()));
    }
  }
}
