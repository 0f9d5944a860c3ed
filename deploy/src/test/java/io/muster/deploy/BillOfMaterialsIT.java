package io.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The bill of materials says what is shipped. Runs after the program is packaged. */
final class BillOfMaterialsIT {

  private static final Path TARGET = Path.of("target");

  @Test
  void namesEachLibraryWithItsHashAndNoOther() throws Exception {
    var bill = new ObjectMapper().readTree(TARGET.resolve("muster.cdx.json").toFile());
    Map<String, String> stated = new TreeMap<>();
    for (var component : bill.get("components")) {
      stated.put(jar(component), sha256(component));
    }

    assertThat(bill.at("/metadata/component/name").textValue()).isEqualTo("muster-deploy");
    assertThat(stated).isEqualTo(shipped()).hasSizeGreaterThan(10);
  }

  @Test
  void namesALicenceOfEachLibrary() throws IOException {
    var bill = new ObjectMapper().readTree(TARGET.resolve("muster.cdx.json").toFile());

    assertThat(bill.get("components"))
        .allSatisfy(
            component -> assertThat(component.get("licenses")).as(jar(component)).isNotEmpty());
  }

  private static Map<String, String> shipped() throws IOException, NoSuchAlgorithmException {
    Map<String, String> hashes = new TreeMap<>();
    try (var jars = Files.newDirectoryStream(TARGET.resolve("lib"), "*.jar")) {
      for (var jar : jars) {
        var digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar));
        hashes.put(jar.getFileName().toString(), HexFormat.of().formatHex(digest));
      }
    }
    return hashes;
  }

  private static String jar(JsonNode component) {
    return component.get("name").textValue() + "-" + component.get("version").textValue() + ".jar";
  }

  private static String sha256(JsonNode component) {
    for (var hash : component.get("hashes")) {
      if (hash.get("alg").textValue().equals("SHA-256")) {
        return hash.get("content").textValue();
      }
    }
    throw new AssertionError("no SHA-256 of " + component.get("name"));
  }
}
