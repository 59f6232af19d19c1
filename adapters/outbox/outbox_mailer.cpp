// SPDX-License-Identifier: Apache-2.0
#include "adapters/outbox/outbox_mailer.hpp"

#include <algorithm>
#include <system_error>

#include "adapters/base/output_file.hpp"
#include "domain/base/text.hpp"

namespace kbase::outbox {

Result<std::unique_ptr<OutboxMailer>> OutboxMailer::open(std::filesystem::path folder, mail::Sender sender,
                                                         const ports::Clock& clock) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return Error{ErrorCode::Unavailable, folder.string() + ": " + failed.message()};
  return std::unique_ptr<OutboxMailer>(new OutboxMailer(std::move(folder), std::move(sender), clock));
}

Status OutboxMailer::send(ports::Call& call, const ports::Mail& mail) {
  if (call.cancelled()) return Error{ErrorCode::Cancelled, "The mail was not written."};
  if (mail.id.empty() || !std::all_of(mail.id.begin(), mail.id.end(), ascii::is_alphanumeric))
    return invalid_argument("id", "must consist of letters and digits");
  auto file = KBASE_TRY(
      OutputFile::open((folder_ / (std::string(mail.id) + ".eml")).string(), OutputFile::Permissions::OwnerOnly));
  KBASE_TRY(file->write(mail::compose(mail, sender_, clock_.now())));
  return file->finish();
}

}  // namespace kbase::outbox
