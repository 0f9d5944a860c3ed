package io.muster.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.function.Predicate;

/**
 * The bill of materials of the image, CycloneDX: that of the program without the libraries that the
 * image leaves out, and with the packages of Debian and the Java runtime.
 */
final class ImageBill {

  private static final ObjectMapper JSON = new ObjectMapper();

  private ImageBill() {}

  /**
   * Writes it.
   *
   * @param ofProgram the bill that the build makes
   * @param isShipped whether the image has the library whose jar has that name
   * @param javaVersion such as {@code 25.0.3}
   */
  static void write(
      Path to, Path ofProgram, Predicate<String> isShipped, PackageLock lock, String javaVersion)
      throws IOException {
    var bill = (ObjectNode) JSON.readTree(ofProgram.toFile());
    var components = JSON.createArrayNode();
    for (JsonNode library : bill.required("components")) {
      if (isShipped.test(
          library.required("name").textValue()
              + "-"
              + library.required("version").textValue()
              + ".jar")) {
        components.add(library);
      }
    }
    for (var locked : lock.packages()) {
      add(components, locked.name(), locked.version(), debian(locked), locked.sha256());
    }
    add(components, "openjdk", javaVersion, "pkg:generic/openjdk@" + javaVersion, "");
    bill.set("components", components);
    JSON.writerWithDefaultPrettyPrinter().writeValue(to.toFile(), bill);
  }

  private static String debian(PackageLock.Locked locked) {
    return "pkg:deb/debian/%s@%s?arch=%s&distro=debian-12"
        .formatted(
            URLEncoder.encode(locked.name(), StandardCharsets.UTF_8),
            URLEncoder.encode(locked.version(), StandardCharsets.UTF_8),
            locked.architecture());
  }

  private static void add(
      ArrayNode components, String name, String version, String purl, String sha256) {
    var component =
        components
            .addObject()
            .put("type", "library")
            .put("bom-ref", purl)
            .put("name", name)
            .put("version", version)
            .put("purl", purl);
    if (!sha256.isEmpty()) {
      component.putArray("hashes").addObject().put("alg", "SHA-256").put("content", sha256);
    }
  }
}
